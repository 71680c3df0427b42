// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { resourceAttributes, serviceInstanceId } from '../../../receiver/export/resource.js';

const MACHINE_ID = '0123456789abcdef0123456789abcdef';
const FACTS = {
  version: '1.2.3',
  hostName: 'node-1',
  machineId: MACHINE_ID,
  serviceName: undefined,
  resourceAttributes: {},
};

describe('resourceAttributes', () => {
  it('names host and service', () => {
    expect(resourceAttributes(FACTS)).toEqual({
      'service.name': 'wattfeed',
      'service.version': '1.2.3',
      'service.instance.id': serviceInstanceId(MACHINE_ID, 'node-1'),
      'host.name': 'node-1',
      'host.id': MACHINE_ID,
      'os.type': 'linux',
    });
  });

  it('lets OTEL_SERVICE_NAME win over OTEL_RESOURCE_ATTRIBUTES, and those over ours', () => {
    const own = { 'service.name': 'a', 'host.name': 'other', extra: 'x' };
    expect(resourceAttributes({ ...FACTS, resourceAttributes: own })).toMatchObject(own);
    const both = resourceAttributes({ ...FACTS, resourceAttributes: own, serviceName: 'b' });
    expect(both['service.name']).toBe('b');
  });
});

describe('serviceInstanceId', () => {
  it('is a UUID, the same at each start, another on another host', () => {
    const id = serviceInstanceId(MACHINE_ID, 'node-1');
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(serviceInstanceId(MACHINE_ID, 'renamed')).toBe(id);
    expect(serviceInstanceId(undefined, 'node-1')).not.toBe(id);
  });
});
