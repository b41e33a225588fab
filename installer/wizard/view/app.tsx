import { Box, useWindowSize } from 'ink';
import { useSyncExternalStore } from 'react';
import { isLeaving } from '#installer/wizard/keys.ts';
import { placeOf } from '#installer/wizard/navigation.ts';
import { screenOf } from '#installer/wizard/screens.ts';
import type { WizardStore } from '#installer/wizard/store.ts';
import type { Overlay, WizardState } from '#installer/wizard/types.ts';
import { fits, MIN_COLUMNS, MIN_ROWS } from '#installer/wizard/view/fits.ts';
import { Items } from '#installer/wizard/view/items.tsx';
import { keyHints } from '#installer/wizard/view/key-hints.ts';
import { layoutBody } from '#installer/wizard/view/layout.ts';
import { messagesOf, shownFindings } from '#installer/wizard/view/messages.ts';
import { Dialog } from '#ui/parts/dialog.tsx';
import { FRAME_MARGIN, FRAME_ROWS, Frame, TooSmall } from '#ui/parts/frame.tsx';
import { Lines } from '#ui/parts/lines.tsx';
import { Progress } from '#ui/parts/progress.tsx';
import { wrapAll } from '#ui/text.ts';

const MAY_LEAVE = 'Other keys do nothing until it is larger; Ctrl-C leaves.';
const LEAVE_NOW = 'Leave the installer? Ctrl-C once more leaves.';

interface Area {
  readonly width: number;
  readonly height: number;
}

function OverlayView({ overlay, width, height }: { readonly overlay: Overlay } & Area) {
  switch (overlay.kind) {
    case 'question': {
      const { title, paragraphs, yes, no } = overlay.question;
      const choices = [
        { value: 'no', label: no },
        { value: 'yes', label: yes },
      ];
      return <Dialog title={title} paragraphs={paragraphs} width={Math.min(width, 76)} choices={choices} selected={overlay.choice} />;
    }
    case 'help':
      return (
        <Lines
          lines={[{ text: overlay.title, tone: 'title' }, { text: '' }, ...wrapAll(overlay.paragraphs, width).map((text) => ({ text }))]}
        />
      );
    case 'pages':
      return <Lines lines={overlay.lines.slice(overlay.top, overlay.top + height).map((text) => ({ text }))} />;
  }
}

function ScreenView({ state, width, height }: { readonly state: WizardState } & Area) {
  const body = screenOf(state.screen).body(state, state.draft);
  const findings = shownFindings(state, body.items);
  const layout = layoutBody(body, messagesOf(state, findings, body.items), width, height);
  return (
    <Box flexDirection="column" height={height}>
      <Lines lines={layout.intro} />
      {body.progress === undefined ? null : <Progress fraction={body.progress} width={width} />}
      <Items items={body.items} draft={state.draft} findings={findings} listRows={layout.listRows} width={width} />
      <Lines lines={layout.aside} />
      <Box flexGrow={1} />
      <Lines lines={layout.messages} />
    </Box>
  );
}

function cornerOf(state: WizardState, isShared: boolean): string {
  const place = placeOf(state);
  const { product, version } = state.surroundings;
  const parts = [
    isShared && state.driver !== null ? `keys: ${state.driver}` : null,
    state.mode === 'rehearse' ? 'REHEARSAL' : null,
    place ? `${place.number} of ${place.count}` : null,
    `${product} ${version}`,
  ];
  return parts.filter((part) => part !== null).join('  ');
}

export interface AppProps {
  readonly store: WizardStore;
  /** More than one terminal shows the dialogue. */
  readonly isShared: boolean;
}

/** The whole dialogue on one terminal. It holds no state of its own, so any number of terminals show the same. */
export function App({ store, isShared }: AppProps) {
  const state = useSyncExternalStore(store.subscribe, store.getState, store.getState);
  const { columns, rows } = useWindowSize();
  if (!fits({ columns, rows }))
    return <TooSmall columns={columns} rows={rows} needed={`${MIN_COLUMNS}x${MIN_ROWS}`} keys={isLeaving(state) ? LEAVE_NOW : MAY_LEAVE} />;
  const area: Area = { width: columns - 2 * FRAME_MARGIN, height: rows - FRAME_ROWS };
  const title = state.overlay?.kind === 'pages' ? state.overlay.title : screenOf(state.screen).title;
  return (
    <Frame columns={columns} rows={rows} title={title} corner={cornerOf(state, isShared)} keys={keyHints(state)}>
      {state.overlay ? <OverlayView overlay={state.overlay} {...area} /> : <ScreenView state={state} {...area} />}
    </Frame>
  );
}
