// SPDX-License-Identifier: Apache-2.0
/** How containers, pods, jobs, units, users and names become series: keys and identity attributes. */
import type { Attributes } from '@opentelemetry/api';
import type { WorkloadFacts, WorkloadTotals } from '../model/ledger-view.js';
import type { ContainerRef, PodRef } from '../model/workload.js';
import { attributeName, type AttributeKey } from './attributes.js';
import { boundedText } from './bounded-text.js';
import type { EntityKind } from './entity-kind.js';
import { readingsOf } from './readings.js';
import { selectionFieldsOf } from './selection-fields.js';

type Named = readonly (readonly [AttributeKey, string | undefined])[];

/** Only what is known: an empty attribute would be a value of its own. */
export const knownAttributes = (named: Named): Attributes =>
  Object.fromEntries(
    named.flatMap(([key, value]) =>
      value === undefined ? [] : [[attributeName(key), boundedText(value)]],
    ),
  );

/** Kubernetes has names of its own in the conventions; the others share ours. */
export const podIdentity = (pod: PodRef | undefined): Named => {
  if (pod === undefined) return [];
  return pod.system === 'kubernetes'
    ? [
        ['podUid', pod.uid],
        ['podName', pod.name],
        ['podNamespace', pod.namespace],
      ]
    : [
        ['podSystem', pod.system],
        ['podId', pod.uid],
      ];
};

const containerIdentity = ({ id, runtime, name }: ContainerRef): Named => [
  ['containerId', id],
  ['containerRuntime', runtime],
  ['containerName', name],
];

const identityOf = (facts: WorkloadFacts): Named => {
  switch (facts._tag) {
    case 'container':
      return [
        ...containerIdentity(facts.container),
        ['outerContainerId', facts.outerContainers.at(-1)?.id],
        ['rootContainerId', facts.outerContainers.at(0)?.id],
        ...podIdentity(facts.pod),
      ];
    case 'pod':
      return [...podIdentity(facts.pod), ['podQos', facts.pod.qos]];
    case 'job':
      return [
        ['jobSystem', facts.system],
        ['jobId', facts.id],
        ['jobOwner', facts.user],
      ];
    case 'unit':
      return [
        ['unitName', facts.unit.name],
        ['unitSlice', facts.slice],
        ['unitOwner', facts.user],
        ['containerId', facts.containerId],
      ];
    case 'user':
      return [
        ['userName', facts.user],
        ['userId', String(facts.uid)],
      ];
    case 'name':
      return [['processExecutableName', facts.name]];
  }
};

export const workloadAttributes = ({ facts }: WorkloadTotals): Attributes =>
  knownAttributes(identityOf(facts));

/** The ledger hands out the same object until something changed. */
const isSameFacts = (a: WorkloadFacts, b: WorkloadFacts): boolean =>
  a === b || JSON.stringify(a) === JSON.stringify(b);

export const WORKLOAD_KIND: EntityKind<WorkloadTotals> = {
  keyOf: ({ key }) => key,
  readingsOf,
  startUnixMillisOf: ({ seriesStartUnixMillis }) => seriesStartUnixMillis,
  hasEnded: ({ isExited }) => isExited,
  isSameSeries: (a, b) => isSameFacts(a.facts, b.facts),
  selectionFieldsOf,
};
