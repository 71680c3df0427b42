// SPDX-License-Identifier: Apache-2.0
/** The one resource of all metrics: this host, seen by this agent. */
import { createHash, randomUUID } from 'node:crypto';

export interface ResourceFacts {
  readonly version: string;
  readonly hostName: string;
  /** `host.id`; undefined where the host has no machine id. */
  readonly machineId: string | undefined;
  readonly serviceName: string | undefined;
  readonly resourceAttributes: Readonly<Record<string, string>>;
}

/**
 * The same for every run on one host: Prometheus makes it the label `instance`, and a restart must not
 * begin a second set of series. An UUID of version 8 (RFC 9562, custom) from a hash.
 */
export const serviceInstanceId = (machineId: string | undefined, hostName: string): string => {
  if (machineId === undefined && hostName === '') return randomUUID();
  const hex = createHash('sha256')
    .update(`wattfeed ${machineId ?? hostName}`)
    .digest('hex');
  const variant = ((Number.parseInt(hex.slice(16, 17), 16) & 0x3) | 0x8).toString(16);
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `${variant}${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-');
};

/** Ours first, then OTEL_RESOURCE_ATTRIBUTES, then OTEL_SERVICE_NAME: the later wins. */
export const resourceAttributes = (facts: ResourceFacts): Readonly<Record<string, string>> => ({
  'service.name': 'wattfeed',
  'service.version': facts.version,
  'service.instance.id': serviceInstanceId(facts.machineId, facts.hostName),
  'host.name': facts.hostName,
  ...(facts.machineId === undefined ? {} : { 'host.id': facts.machineId }),
  'os.type': 'linux',
  ...facts.resourceAttributes,
  ...(facts.serviceName === undefined ? {} : { 'service.name': facts.serviceName }),
});
