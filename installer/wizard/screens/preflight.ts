import { newDraft } from '#installer/wizard/draft.ts';
import { plainLine } from '#installer/wizard/screens/helpers.ts';
import type { BodyLine, ScreenDefinition, WizardState } from '#installer/wizard/types.ts';
import { MIN_DISK_BYTES } from '#model/limits.ts';
import type { Machine } from '#model/machine.ts';
import { judgeDisks, plain, roundSize } from '#rules/disks.ts';
import { fittedGib, memoryFault } from '#rules/machine.ts';
import { wrap } from '#ui/text.ts';

interface Fact {
  readonly name: string;
  readonly value: string;
  /** Worth a look; never a refusal. */
  readonly flag: string | null;
}

/** More are counted: everything has to fit on one screen, with Continue below it. */
const MAX_PORTS = 6;
const MAX_DISKS = 8;

/** The role is not chosen yet, so the flag names the role that the memory is too little for. */
function memory({ machine }: WizardState): Fact {
  const { memoryBytes } = machine;
  if (memoryBytes === null) return { name: 'Memory', value: 'not known', flag: null };
  const fault = memoryFault(memoryBytes, 'appliance') ?? memoryFault(memoryBytes, 'control-plane');
  const flag = fault === null ? null : fault.message.replace(/^.*?; /, '');
  return { name: 'Memory', value: fittedGib(memoryBytes) === 0 ? 'less than 1 GiB' : `${fittedGib(memoryBytes)} GiB`, flag };
}

function disks({ machine }: WizardState): Fact {
  const sized = judgeDisks(machine).filter((verdict) => verdict.sizeBytes > 0);
  const usable = sized.filter((verdict) => verdict.selectable).length;
  const flag =
    sized.length === 0
      ? 'no disk found'
      : sized.every((verdict) => verdict.sizeBytes < MIN_DISK_BYTES)
        ? 'none has 32 GiB'
        : usable === 0
          ? 'none can be used'
          : null;
  const more = sized.length > MAX_DISKS ? [`${sized.length - MAX_DISKS} more`] : [];
  const list = [...sized.slice(0, MAX_DISKS).map((verdict) => `${plain(verdict.kname)} ${roundSize(verdict.sizeBytes)}`), ...more].join(
    ', ',
  );
  return { name: 'Disks', value: list || 'none', flag };
}

function ports({ machine }: WizardState): readonly Fact[] {
  if (machine.interfaces === null) return [{ name: 'Network', value: 'not recorded', flag: null }];
  if (machine.interfaces.length === 0) return [{ name: 'Network', value: 'no port', flag: 'no network port found' }];
  const hasLink = machine.interfaces.some((port) => port.linkUp === true);
  const all = machine.interfaces;
  // One with a link is worth a row before one without.
  const shown = [...all].sort((a, b) => Number(b.linkUp === true) - Number(a.linkUp === true)).slice(0, MAX_PORTS);
  const facts = shown.map((port, index) => {
    const link = port.linkUp === null ? 'link not known' : port.linkUp ? 'link up' : 'no link';
    const speed = port.speedMbps === null ? null : `${port.speedMbps} Mbit/s`;
    const value = [link, speed, port.addresses[0] ?? 'no address', port.driver].filter((part) => part !== null).map((part) => plain(part));
    return { name: `Port ${plain(port.name)}`, value: value.join(', '), flag: index === 0 && !hasLink ? 'no port has a link' : null };
  });
  const rest = all.filter((port) => !shown.includes(port));
  if (rest.length === 0) return facts;
  const linked = rest.filter((port) => port.linkUp === true).length;
  return [...facts, { name: 'More ports', value: `${rest.length}, ${linked === 0 ? 'none' : linked} with a link`, flag: null }];
}

function clock({ surroundings }: WizardState): Fact {
  const { now, buildDate } = surroundings;
  const isEarly = now !== null && buildDate !== null && now.slice(0, 10) < buildDate;
  return {
    name: 'Clock',
    value: now === null ? 'not recorded' : `${now.slice(0, 16).replace('T', ' ')} UTC`,
    flag: isEarly ? `before this medium was made (${buildDate}); certificates will fail` : null,
  };
}

/** A machine whose network nobody recorded is not one without. */
const absent = ({ interfaces }: Machine): string => (interfaces === null ? 'not recorded' : 'none');

function gateway({ machine, surroundings }: WizardState): Fact {
  const address = machine.interfaces?.find((port) => port.gateway4 !== null)?.gateway4 ?? null;
  const answers = surroundings.gatewayAnswers;
  const said = answers === null ? '' : answers ? ', answers' : ', does not answer (not fatal)';
  return { name: 'Gateway', value: address === null ? absent(machine) : plain(address) + said, flag: null };
}

export function preflightFacts(state: WizardState): readonly Fact[] {
  const { machine } = state;
  return [
    { name: 'Processors', value: machine.cpuCount === null ? 'not known' : String(machine.cpuCount), flag: null },
    memory(state),
    { name: 'Firmware', value: machine.firmware === 'uefi' ? 'UEFI' : 'BIOS', flag: null },
    disks(state),
    ...ports(state),
    gateway(state),
    { name: 'DNS server', value: machine.resolvers[0] === undefined ? absent(machine) : plain(machine.resolvers[0]), flag: null },
    clock(state),
  ];
}

const NAME_CELLS = 16;
/** Body of an 80 column terminal. */
const ROW_WIDTH = 76;

/** A long value goes on below itself, not below its name. */
function factLines({ name, value, flag }: Fact): readonly BodyLine[] {
  const head = `${flag === null ? ' ' : '!'} ${name.padEnd(NAME_CELLS)} `;
  const rows = wrap(flag === null ? value : `${value}: ${flag}`, ROW_WIDTH - head.length);
  return rows.map((row, index): BodyLine => {
    const text = (index === 0 ? head : ' '.repeat(head.length)) + row;
    return flag === null ? { text } : { text, tone: 'warning' };
  });
}

export const preflightScreen: ScreenDefinition = {
  id: 'preflight',
  title: 'What this machine has',
  name: 'Pre-flight',
  keys: [],
  applies: () => true,
  isAnswered: () => true,
  open: () => newDraft({ go: 'go' }, 'go'),
  body: (state) => {
    const facts = preflightFacts(state);
    const flagged = facts.filter((fact) => fact.flag !== null).length;
    const head =
      flagged === 0
        ? 'Nothing stands out.'
        : `${flagged} thing${flagged === 1 ? '' : 's'} to look at, marked !. You can go on all the same.`;
    return {
      intro: [plainLine(head), plainLine(''), ...facts.flatMap(factLines), plainLine('')],
      items: [{ kind: 'list', id: 'go', label: 'Continue', path: null, options: [{ value: 'go', label: 'Continue' }] }],
      aside: [],
    };
  },
  commit: (answers) => answers,
  extraKeys: [
    { key: 'f5', word: 'again', does: 'look again', effect: () => [{ type: 'rescan' }], busy: 'Looking at the machine again...' },
  ],
  help: () => 'Facts read from this machine, without asking any host on the Internet. A mark is advice and refuses nothing.',
  summary: () => '',
};
