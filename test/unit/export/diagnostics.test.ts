// SPDX-License-Identifier: Apache-2.0
import { diag } from '@opentelemetry/api';
import { globalErrorHandler } from '@opentelemetry/core';
import { afterEach, describe, expect, it } from 'vitest';
import { installDiagnostics, rejectedPoints } from '../../../receiver/export/diagnostics.js';
import { ExportCounts } from '../../../receiver/export/export-counts.js';

afterEach(() => {
  diag.disable();
});

describe('installDiagnostics', () => {
  it('says a message once, without the objects behind it', () => {
    const said: string[] = [];
    installDiagnostics('warn', new ExportCounts(), (text) => said.push(text));
    for (let round = 0; round < 3; round += 1) diag.warn('odd', { authorization: 'hunter2' });
    expect(said).toEqual(['opentelemetry: odd']);
  });

  it('says a message once whatever the numbers in it are', () => {
    const said: string[] = [];
    installDiagnostics('warn', new ExportCounts(), (text) => said.push(text));
    diag.warn('Export retry time 1141ms exceeds remaining timeout -105ms');
    diag.warn('Export retry time 822ms exceeds remaining timeout 3ms');
    expect(said).toHaveLength(1);
  });

  it('keeps quiet about what the exporter says itself', () => {
    const said: string[] = [];
    installDiagnostics('info', new ExportCounts(), (text) => said.push(text));
    diag.error('PeriodicExportingMetricReader: metrics export timed out after 5ms');
    globalErrorHandler(new Error('PeriodicExportingMetricReader: metrics export failed (error x)'));
    expect(said).toEqual([]);
    globalErrorHandler(new Error('something else'));
    expect(said).toEqual(['opentelemetry: something else']);
  });

  it('counts the points of a partial success even when nothing may be said', () => {
    const counts = new ExportCounts();
    installDiagnostics('none', counts, (text) => expect.fail(text));
    diag.warn('Received Partial Success response:', '{"rejectedDataPoints":"3"}');
    diag.warn('Received Partial Success response:', '{"rejectedDataPoints":4,"errorMessage":"x"}');
    expect(counts.rejected).toBe(7n);
  });
});

describe('rejectedPoints', () => {
  it('is nothing for a message that only warns', () => {
    expect(rejectedPoints('{"errorMessage":"slow down"}')).toBe(0n);
    expect(rejectedPoints(undefined)).toBe(0n);
  });
});
