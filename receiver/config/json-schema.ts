// SPDX-License-Identifier: Apache-2.0
/** The configuration file as a JSON schema, for editors and for checks in a deployment pipeline. */
import { z } from 'zod';
import { configSchema } from './schema.js';

export const configJsonSchema = (): unknown => ({
  ...z.toJSONSchema(configSchema, { io: 'input', target: 'draft-2020-12' }),
  title: 'wattfeed configuration file',
});

export const configJsonSchemaText = (): string =>
  `${JSON.stringify(configJsonSchema(), null, 2)}\n`;
