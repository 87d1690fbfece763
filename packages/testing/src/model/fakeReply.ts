/** A step of an answer, in the order in which they are taken. `choice` and `raw` are for what no good server sends. */
export type FakeAct =
  | { readonly text: string }
  | { readonly reasoning: string; readonly under?: "reasoning" | "reasoning_content" }
  /** A whole call. `pieces` cuts its arguments. */
  | {
    readonly call: string
    readonly arguments: unknown
    readonly pieces?: number
    readonly index?: number | null
    readonly id?: string | null
  }
  | { readonly refusal: string }
  /** Fields of a chunk's first choice, as they stand. */
  | { readonly choice: Readonly<Record<string, unknown>> }
  /** An event with this as its data, as it stands. */
  | { readonly data: unknown; readonly event?: string }
  /** Bytes, as they stand. */
  | { readonly raw: string | Uint8Array }
  /** What the answer ends with; `stop`, or `tool_calls` after calls, when there is none. */
  | { readonly finish: string }
  | { readonly usage: Readonly<Record<string, unknown>> }
  /** Goes on once `cue` is called with this name, or was before. */
  | { readonly awaitCue: string }
  | { readonly pauseMs: number }
  /** Says nothing more until the other side hangs up. */
  | "stall"
  /** Closes the connection in the middle. */
  | "cut"
  /** Ends the body here, without what belongs at its end. */
  | "end"
  /** The event `[DONE]` is left out. */
  | "noDone"

/** What a request is answered. Without `status` it is a stream of events in the API of the request's path. */
export interface FakeReply {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  /** Waited for before any byte of the answer. */
  readonly awaitCue?: string
  /** Nothing is answered at all, until the other side hangs up. */
  readonly silent?: boolean
  /** The whole body; of an object as JSON. In place of acts. */
  readonly body?: unknown
  readonly acts?: ReadonlyArray<FakeAct>
}

/** One request, as it was asked. */
export interface FakeRequest {
  /** From 1. */
  readonly n: number
  readonly path: string
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
  /** The body as JSON; null when it was none. */
  readonly body: Readonly<Record<string, unknown>> | null
}

/** What became of a request. Times are epoch ms of the fake's machine. */
export interface FakeAsked extends FakeRequest {
  readonly askedAt: number
  /** Pieces that were written, and bytes. */
  writes: number
  bytes: number
  /** When it was over; null while it is answered. */
  closedAt: number | null
  /** `client`: it hung up before the answer was whole. */
  closedBy: "client" | "server" | null
}

/** What requests are answered: one after the other, the last one again and again; or by what was asked. */
export type FakeScript = ReadonlyArray<FakeReply> | ((request: FakeRequest) => FakeReply)
