/** One reply of the test panel, before any fault is laid over it. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
  /** For the log: what this reply was about. Never a secret. */
  readonly note?: string;
}

export const json = (status: number, value: unknown, headers: Record<string, string> = {}): Answer => ({
  status,
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(value),
});

export const isAnswer = (value: object): value is Answer => 'status' in value && 'body' in value;
