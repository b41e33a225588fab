/** The status socket as a JSON Schema: the document of `GET /v1/status`, and in `$defs` every frame, log line and action. */
import { type Shape, toJsonSchema } from './shape.ts';
import {
  ACTION_EVENT,
  ACTION_LIST,
  ACTION_PLAN,
  ENVELOPE,
  LOG_LINE,
  OBSERVED,
  SECTION_NAMES,
  SECTION_SHAPES,
  STATUS_SCHEMA,
  VERDICT,
} from './status.ts';

type Json = Readonly<Record<string, unknown>>;

const ref = (name: string): Json => ({ $ref: `#/$defs/${name}` });

function sectionSchema(shape: Shape): Json {
  const envelope = toJsonSchema(ENVELOPE) as { properties: Json; required: string[] };
  return {
    type: 'object',
    properties: { ...envelope.properties, data: { anyOf: [toJsonSchema(shape), { type: 'null' }] } },
    required: [...envelope.required, 'data'],
  };
}

const object = (properties: Json, required: readonly string[]): Json => ({ type: 'object', properties, required });

const text = { type: 'string' };
const seq = { type: 'integer', minimum: 1 };
const now = { type: 'string', description: 'wall clock of the server, RFC 3339 UTC' };

function snapshotParts(): { properties: Json; required: string[] } {
  const properties = {
    schema: { type: 'integer', minimum: 1, maximum: STATUS_SCHEMA },
    server: text,
    instance: { type: 'string', description: 'different after every start of the server' },
    now,
    sections: ref('sections'),
    verdict: ref('verdict'),
  };
  return { properties, required: Object.keys(properties) };
}

/** What `schemas/status.schema.json` holds. */
export function statusSchema(): Json {
  const snapshot = snapshotParts();
  const sections = { type: 'object', properties: Object.fromEntries(SECTION_NAMES.map((n) => [n, ref(`section_${n}`)])) };
  const patch = { t: { const: 'patch' }, seq, now, sections: ref('sections'), observed: toJsonSchema(OBSERVED), verdict: ref('verdict') };
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Status of an appliance, as served on /run/spatiumddi/status.sock',
    ...object(snapshot.properties, snapshot.required),
    $defs: {
      sections,
      verdict: toJsonSchema(VERDICT),
      ...Object.fromEntries(SECTION_NAMES.map((n) => [`section_${n}`, sectionSchema(SECTION_SHAPES[n])])),
      frame: {
        oneOf: [
          object({ t: { const: 'snapshot' }, seq, ...snapshot.properties }, ['t', 'seq', ...snapshot.required]),
          object(patch, ['t', 'seq', 'now', 'sections']),
          object({ t: { const: 'ping' }, seq: { type: 'integer', minimum: 0 }, now }, ['t', 'seq', 'now']),
        ],
      },
      log_line: toJsonSchema(LOG_LINE),
      action_list: toJsonSchema(ACTION_LIST),
      action_plan: toJsonSchema(ACTION_PLAN),
      action_event: toJsonSchema(ACTION_EVENT),
    },
  };
}
