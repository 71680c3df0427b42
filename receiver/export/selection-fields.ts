// SPDX-License-Identifier: Apache-2.0
/** What the include and exclude rules of the configuration may look at, per level. */
import type {
  CgroupTotals,
  ProcessTotals,
  ThreadTotals,
  WorkloadFacts,
  WorkloadTotals,
} from '../model/ledger-view.js';
import type { SelectionFields } from '../model/selection-rule.js';
import type { CgroupIdentity } from '../model/workload.js';

const workloadFields = (workload: CgroupIdentity | undefined): SelectionFields => ({
  container: workload?.container?.id,
  pod: workload?.pod?.uid,
  unit: workload?.unit?.name,
  job: workload?.job?.id,
});

export const processFields = ({ identity }: ProcessTotals): SelectionFields => ({
  ...workloadFields(identity.workload),
  name: identity.name,
  user: identity.user,
  cgroup: identity.cgroupPath,
});

export const cgroupFields = ({ path, workload }: CgroupTotals): SelectionFields => ({
  ...workloadFields(workload),
  cgroup: path,
});

export const threadFields = ({ identity }: ThreadTotals): SelectionFields => ({
  name: identity.name,
});

const factsFields = (facts: WorkloadFacts): SelectionFields => {
  switch (facts._tag) {
    case 'container':
      return { container: facts.container.id, pod: facts.pod?.uid };
    case 'pod':
      return { pod: facts.pod.uid };
    case 'job':
      return { job: facts.id };
    case 'unit':
      return { unit: facts.unit.name };
    case 'user':
      return { user: facts.user };
    case 'name':
      return { name: facts.name };
  }
};

export const selectionFieldsOf = ({ facts }: WorkloadTotals): SelectionFields => factsFields(facts);
