/** What a panel sends, as JSON Schemas: the envelope that all kinds share, and the configuration of each kind. */
import type { Json } from './field.ts';
import { LB_CONFIG } from './lb/config.ts';

const DRAFT = 'https://json-schema.org/draft/2020-12/schema';

export const lbConfigSchema = (): Json => ({
  $schema: DRAFT,
  title: 'Configuration of a load balancer ("config" in the envelope)',
  ...LB_CONFIG.schema,
});

/** More keys may come in the envelope; in `config` none that the agent does not know. */
export const panelConfigSchema = (): Json => ({
  $schema: DRAFT,
  title: 'Body of a 200 to GET /v1/KIND/config',
  type: 'object',
  properties: {
    schema: { const: 1 },
    kind: { type: 'string', enum: ['lb', 'gw', 's3'] },
    device_id: { type: 'string', description: 'the device that asks' },
    epoch: { type: 'string', maxLength: 200, description: 'changes when the counter of versions starts anew' },
    version: { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description: 'rises with every change of the body' },
    poll_seconds: { type: 'number', default: 5, description: 'seconds between two polls; taken as 2 to 300' },
    config: { type: 'object', description: 'lb: lb-config.schema.json' },
  },
  required: ['schema', 'kind', 'device_id', 'version', 'config'],
});
