// SPDX-License-Identifier: Apache-2.0
/** OTLP/JSON as the Collector's file exporter writes it, checked and flattened into points. */
import { z } from 'zod';

const value = z.union([
  z.object({ stringValue: z.string() }).transform(({ stringValue }) => stringValue),
  z.object({ intValue: z.string() }).transform(({ intValue }) => Number(intValue)),
  z.object({ boolValue: z.boolean() }).transform(({ boolValue }) => boolValue),
  z.object({ doubleValue: z.number() }).transform(({ doubleValue }) => doubleValue),
]);

const attributes = z
  .array(z.object({ key: z.string(), value }))
  .default([])
  .transform((pairs) => Object.fromEntries(pairs.map((pair) => [pair.key, pair.value] as const)));

const nanoTime = z.string().default('0').transform(BigInt);

const point = z.object({
  attributes,
  startTimeUnixNano: nanoTime,
  timeUnixNano: nanoTime,
  asDouble: z.number().optional(),
  asInt: z.string().optional(),
});

const points = z.array(point).default([]);

const metric = z.object({
  name: z.string(),
  description: z.string().default(''),
  unit: z.string().default(''),
  sum: z
    .object({
      dataPoints: points,
      aggregationTemporality: z.number(),
      isMonotonic: z.boolean().default(false),
    })
    .optional(),
  gauge: z.object({ dataPoints: points }).optional(),
});

const request = z.object({
  resourceMetrics: z.array(
    z.object({
      resource: z.object({ attributes }),
      scopeMetrics: z.array(
        z.object({
          scope: z.object({ name: z.string(), version: z.string().default('') }),
          metrics: z.array(metric),
          schemaUrl: z.string().default(''),
        }),
      ),
    }),
  ),
});

export interface ReceivedPoint {
  readonly name: string;
  readonly unit: string;
  readonly description: string;
  readonly kind: 'counter' | 'updowncounter' | 'gauge';
  /** 1 delta, 2 cumulative, 0 none (gauge). */
  readonly temporality: number;
  readonly isInteger: boolean;
  readonly attributes: Readonly<Record<string, string | number | boolean>>;
  readonly startNanos: bigint;
  readonly endNanos: bigint;
  readonly value: number;
  readonly resource: Readonly<Record<string, string | number | boolean>>;
  readonly scope: string;
  readonly schemaUrl: string;
}

/** All points of some requests, in the order received. */
export const pointsOf = (lines: readonly string[]): readonly ReceivedPoint[] =>
  lines.flatMap((line) => {
    const { resourceMetrics } = request.parse(JSON.parse(line));
    return resourceMetrics.flatMap(({ resource, scopeMetrics }) =>
      scopeMetrics.flatMap(({ scope, metrics, schemaUrl }) =>
        metrics.flatMap(({ name, unit, description, sum, gauge }) => {
          const kind = gauge ? 'gauge' : sum?.isMonotonic === true ? 'counter' : 'updowncounter';
          return (
            (sum ?? gauge)?.dataPoints.map(
              (one) =>
                ({
                  name,
                  unit,
                  description,
                  kind,
                  temporality: sum?.aggregationTemporality ?? 0,
                  isInteger: one.asInt !== undefined,
                  attributes: one.attributes,
                  startNanos: one.startTimeUnixNano,
                  endNanos: one.timeUnixNano,
                  value: one.asDouble ?? Number(one.asInt ?? Number.NaN),
                  resource: resource.attributes,
                  scope: scope.name,
                  schemaUrl,
                }) as const,
            ) ?? []
          );
        }),
      ),
    );
  });
