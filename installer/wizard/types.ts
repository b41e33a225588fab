/** The nouns of the wizard. Everything here is plain data, so every terminal can mirror it and a test can build it. */
import type { Effect } from '#installer/wizard/effects.ts';
import type { Lookup, LookupLine } from '#installer/wizard/lookup.ts';
import type { UnfinishedView } from '#installer/wizard/unfinished-view.ts';
import type { AnswerKey, Answers } from '#model/answers.ts';
import type { Finding } from '#model/finding.ts';
import type { DiskIdentity, Machine } from '#model/machine.ts';
import type { EngineEvent, Plan } from '#model/plan.ts';
import type { Key } from '#ui/terminal/keys.ts';

export type { Lookup, LookupLine as CheckLine } from '#installer/wizard/lookup.ts';

export type ScreenId =
  | 'welcome'
  | 'unfinished'
  | 'preflight'
  | 'keyboard'
  | 'role'
  | 'disk'
  | 'existing'
  | 'mirror'
  | 'erase'
  | 'hostname'
  | 'account'
  | 'ssh'
  | 'network'
  | 'timezone'
  | 'ntp'
  | 'k3s'
  | 'application'
  | 'confirm'
  | 'progress'
  | 'failed'
  | 'done';

export type WizardMode = 'install' | 'rehearse';

export interface Option {
  readonly value: string;
  readonly label: string;
  /** Last column, shortened in its middle where it does not fit: both ends of it matter. */
  readonly tail?: string;
  /** Why it cannot be taken, one sentence a reason. It stays in the list. */
  readonly refused?: readonly string[];
  /** How many cells of the label are highlighted; left out: all of it. Keeps moves short where rows are long. */
  readonly mark?: number;
}

interface ItemBase {
  /** Unique on its screen; key of `Draft.values`. */
  readonly id: string;
  readonly label: string;
  /** Path of the answer it edits, as in a finding; a name of its own for what only the screen checks; null: none. */
  readonly path: string | null;
}

/** What a screen asks. Both the screens and the line-by-line dialogue are drawn from this. */
export type Item =
  | (ItemBase & { readonly kind: 'text'; readonly secret?: boolean; readonly hint?: string })
  | (ItemBase & { readonly kind: 'radio'; readonly options: readonly Option[] })
  | (ItemBase & { readonly kind: 'toggle' })
  | (ItemBase & { readonly kind: 'list'; readonly options: readonly Option[]; readonly head?: string })
  /** A text that narrows a list; the value of the item is the highlighted option, the text stands in `ID.query`. */
  | (ItemBase & { readonly kind: 'search'; readonly options: readonly Option[] });

export interface BodyLine {
  readonly text: string;
  readonly tone?: 'plain' | 'title' | 'error' | 'warning' | 'good' | 'quiet';
}

export interface Body {
  readonly intro: readonly BodyLine[];
  readonly items: readonly Item[];
  /** About what is highlighted; below the items. */
  readonly aside: readonly BodyLine[];
  /** 0 to 1, drawn as a bar between intro and items; left out: no bar. */
  readonly progress?: number;
}

/** A screen while it is being filled in. Nothing of it is an answer yet. */
export interface Draft {
  readonly values: Readonly<Record<string, string>>;
  /** Cursor of each text, in code points. */
  readonly cursors: Readonly<Record<string, number>>;
  /** Id of the item that keys go to. */
  readonly focus: string;
  /** Ids of items whose faults are shown: left once with Enter, or accepted. */
  readonly tried: readonly string[];
  /** Ids of questions answered with yes for what is filled in now. */
  readonly agreed: readonly string[];
}

/** A second question before a screen is accepted. The default is always No. */
export interface Question {
  readonly id: string;
  readonly title: string;
  readonly paragraphs: readonly string[];
  readonly yes: string;
  readonly no: string;
  /** Item and value that No chooses instead. */
  readonly otherwise?: readonly [item: string, value: string];
  /** Item that No leads to, to be changed. */
  readonly about?: string;
}

export type Overlay =
  | { readonly kind: 'help'; readonly title: string; readonly paragraphs: readonly string[] }
  | { readonly kind: 'pages'; readonly title: string; readonly lines: readonly string[]; readonly top: number }
  | { readonly kind: 'question'; readonly question: Question; readonly choice: 'yes' | 'no'; readonly on: QuestionTarget };

/** What is asked outside before a screen is accepted. */
export interface Gate {
  readonly about: string;
  readonly effect: Effect;
  readonly busy: string;
  /** Title of the question when a line of it failed, and what else is to be said then. */
  readonly failed: string;
  readonly remark: string;
}

/** What a yes leads to. */
export type QuestionTarget = 'accept' | 'leave';

/** Facts that no machine document holds, taken by whoever starts the wizard; null: not known. */
export interface Surroundings {
  readonly product: string;
  readonly version: string;
  /** RFC 3339 UTC. */
  readonly now: string | null;
  readonly buildDate: string | null;
  /** Time servers that the network offered (DHCP option 42). */
  readonly offeredNtp: readonly string[];
  readonly gatewayAnswers: boolean | null;
  /** Kernel names of disks whose bay has a light that can be switched. Left out: none. */
  readonly locatable?: readonly string[];
  /** What follows when the installer is left. Left out: back to where it was started from. */
  readonly leavesTo?: LeavesTo;
}

/** `shell`: a root shell on every console of the medium; `nothing`: a locked medium, whose consoles stay as they are. */
export type LeavesTo = 'caller' | 'shell' | 'nothing';

export interface RunView {
  readonly stepTitle: string;
  readonly fraction: number;
  readonly bytesPerSecond: number | null;
  readonly secondsLeft: number | null;
  readonly detail: string | null;
  /** Last lines of the log, oldest first. */
  readonly log: readonly string[];
  readonly failure: Extract<EngineEvent, { type: 'failed' }> | null;
  readonly finished: Extract<EngineEvent, { type: 'finished' }> | null;
}

/** All that accepting a screen changes. */
export type AnswersSoFar = Pick<WizardState, 'answers' | 'drafts' | 'preset' | 'confirmedDisk' | 'confirmedMirror' | 'toAsk'>;

export interface WizardState {
  readonly mode: WizardMode;
  readonly machine: Machine;
  readonly surroundings: Surroundings;
  readonly answers: Answers;
  /** Null when no installation was cut short on a disk of this machine. */
  readonly unfinished: UnfinishedView | null;
  /** The run is that one going on, not a new one. */
  readonly isContinued: boolean;
  /** Screens that the answer file has answered; they are passed by in both directions. */
  readonly preset: ReadonlySet<ScreenId>;
  /** Screens that a changed answer has brought up and that were not accepted since. */
  readonly toAsk: ReadonlySet<ScreenId>;
  readonly screen: ScreenId;
  /** Came from the Confirm menu, and goes back there: what was answered before the jump, which Esc restores. Else null. */
  readonly beforeJump: AnswersSoFar | null;
  readonly draft: Draft;
  /** Drafts of screens that were left with Back, so that typing is not lost. */
  readonly drafts: Readonly<Partial<Record<ScreenId, Draft>>>;
  readonly overlay: Overlay | null;
  /** Findings that kept the last acceptance from going through, besides those of the rules. */
  readonly notice: string | null;
  readonly busy: string | null;
  readonly lookup: Lookup | null;
  /** What is being asked outside before the screen is accepted; null: nothing. */
  readonly awaiting: string | null;
  /** Kernel name of the disk whose light is on. */
  readonly lit: string | null;
  /** Taken when erasing was confirmed; the engine compares it before the first write. */
  readonly confirmedDisk: DiskIdentity | null;
  /** The same of the second disk; null: there is none. */
  readonly confirmedMirror: DiskIdentity | null;
  readonly run: RunView | null;
  readonly plan: Plan | null;
  /** Set once: the dialogue is over. */
  readonly outcome: WizardOutcome | null;
  /** Name of the terminal that typed last, when there are several. */
  readonly driver: string | null;
}

/** `restart`: it failed, and the machine is to start anew. */
export type WizardOutcome = 'left' | 'rehearsed' | 'installed' | 'failed' | 'restart';

export type WizardEvent =
  | { readonly type: 'key'; readonly key: Key; readonly terminal: string | null }
  /** Line-by-line dialogue: the value of an item as a whole. */
  | { readonly type: 'set'; readonly id: string; readonly value: string }
  /** Line-by-line dialogue: Enter on one item, for screens that do something of their own with it. */
  | { readonly type: 'submit'; readonly id: string }
  | { readonly type: 'accept' }
  | { readonly type: 'back' }
  | { readonly type: 'choose'; readonly yes: boolean }
  | { readonly type: 'close-overlay' }
  | { readonly type: 'machine'; readonly machine: Machine; readonly note: string | null }
  | { readonly type: 'plan'; readonly plan: Plan }
  | { readonly type: 'plan-text'; readonly lines: readonly string[] }
  | { readonly type: 'engine'; readonly event: EngineEvent }
  | {
      readonly type: 'lookup';
      readonly screen: ScreenId;
      readonly about: string;
      readonly lines: readonly LookupLine[];
      readonly running: boolean;
    }
  /** A look-up has come to its end; its lines were told before. */
  | { readonly type: 'asked'; readonly about: string }
  | { readonly type: 'keys-fetched'; readonly text: string }
  | { readonly type: 'trouble'; readonly message: string }
  | { readonly type: 'finished'; readonly outcome: WizardOutcome };

export interface Update {
  readonly state: WizardState;
  readonly effects: readonly Effect[];
}

/** An extra key of a screen, shown in the key bar: `F5 look again`. */
export interface ScreenKey {
  readonly key: string;
  /** What the line dialogue takes for it; left out: it has no use there. */
  readonly word?: string;
  readonly does: string;
  /** Left out: always. */
  readonly applies?: (state: WizardState) => boolean;
  /** What it changes besides. */
  readonly turn?: (state: WizardState) => WizardState;
  readonly effect?: (state: WizardState) => readonly Effect[];
  /** Something to read, shown over the screen. */
  readonly pages?: (state: WizardState) => { readonly title: string; readonly lines: readonly string[] } | null;
  readonly busy?: string;
}

export interface ItemReaction {
  readonly draft: Draft;
  readonly notice: string | null;
  readonly busy?: string;
  readonly effects: readonly Effect[];
}

/** One screen: pure functions from state to what is shown, and from what was filled in to answers. */
export interface ScreenDefinition {
  readonly id: ScreenId;
  readonly title: string;
  /** What the Confirm menu calls it. */
  readonly name: string;
  /** Keys of the answer file that it owns. */
  readonly keys: readonly AnswerKey[];
  /** Asked on the way, but its default will do: an unanswered one does not keep Install closed. */
  readonly isOptional?: boolean;
  /** Passed by when the answer file has answered that other screen. */
  readonly presetWith?: ScreenId;
  /** Does this machine with these answers need the screen at all? */
  applies(state: WizardState): boolean;
  isAnswered(answers: Answers, state: WizardState): boolean;
  open(state: WizardState): Draft;
  body(state: WizardState, draft: Draft): Body;
  /** Answers with the draft taken over. Called only with a draft that stands. */
  commit(answers: Answers, draft: Draft, state: WizardState): Answers;
  /** First say on a key for an item (Enter that adds, a paste of several lines); null: the key does what it does everywhere. */
  react?(state: WizardState, draft: Draft, itemId: string, key: Key): ItemReaction | null;
  /** What else of the draft changes with the item just edited. */
  settleDraft?(state: WizardState, before: Draft, after: Draft): Draft;
  /** Faults of the filling-in itself (two passwords that differ), which no answer can have. */
  check?(state: WizardState, draft: Draft): readonly Finding[];
  question?(state: WizardState, draft: Draft): Question | null;
  /** A look outside that is taken before it is accepted; one that fails is asked about. */
  gate?(draft: Draft): Gate | null;
  /** For a screen without answers of its own: what accepting it changes besides. */
  turn?(state: WizardState, draft: Draft): WizardState;
  /** Work to start when it is accepted. */
  effects?(state: WizardState, draft: Draft): readonly Effect[];
  /** What is said while that work goes on; null: nothing, it is no wait. */
  busy?(draft: Draft): string | null;
  /** The aside speaks of what is highlighted, so the line dialogue, which highlights nothing, leaves it out. */
  readonly asideFollowsHighlight?: boolean;
  /** False: the screen shows warnings of the rules itself, or asks about them itself. */
  readonly asksWarnings?: boolean;
  readonly extraKeys?: readonly ScreenKey[];
  /** Two sentences on the item. */
  help(itemId: string): string;
  /** The value in the Confirm menu. */
  summary(state: WizardState): string;
}
