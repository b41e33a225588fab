/** The JSON Schema of a release manifest, for panels and release tools. `readManifest` is what decides. */
import { MAX_RELEASE_BYTES } from './manifest.ts';

const VERSION = '^\\d{1,9}(\\.\\d{1,9}){0,3}(-[0-9A-Za-z.-]+)?(\\+[0-9A-Za-z.-]+)?$';
const version = (description: string) => ({ type: 'string', maxLength: 64, pattern: VERSION, description });

export const releaseManifestSchema = (): object => ({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Signed release of the appliance agent',
  type: 'object',
  additionalProperties: false,
  required: ['channel', 'version', 'url', 'size', 'sha256', 'signature'],
  properties: {
    channel: { type: 'string', maxLength: 40, pattern: '^[a-z0-9][a-z0-9-]*$' },
    version: version('what the program says of itself'),
    url: {
      type: 'string',
      maxLength: 2000,
      pattern: '^(https://|/(?!/))[!-\\[\\]-~]*$',
      description: 'an https address, or a path on the panel',
    },
    size: { type: 'integer', minimum: 1, maximum: MAX_RELEASE_BYTES, description: 'bytes' },
    sha256: { type: 'string', pattern: '^[0-9a-f]{64}$', description: 'of the whole file' },
    signature: {
      type: 'string',
      pattern: '^[A-Za-z0-9+/]{86}==$',
      description:
        'base64 of an Ed25519 signature over "spatium-release-manifest-v1\\n" and then "name=value\\n" for each field present, in the order channel, version, url, size, sha256, min_version, allow_downgrade',
    },
    min_version: version('the oldest version that may go to this one directly'),
    allow_downgrade: { type: 'boolean', description: 'appliances with a newer version take this one too' },
  },
});
