/** A step of an answer. `choice` and `raw` send what no correct server sends. */
export type FakeResponseStep =
  | { readonly text: string }
  | { readonly reasoning: string; readonly under?: "reasoning" | "reasoning_content" }
  /** A complete call. `pieces` is the number of parts of its arguments. */
  | {
    readonly call: string
    readonly arguments: unknown
    readonly pieces?: number
    readonly index?: number | null
    readonly id?: string | null
  }
  | { readonly refusal: string }
  /** Unchanged fields of a chunk's first choice. */
  | { readonly choice: Readonly<Record<string, unknown>> }
  /** An event with this data, unchanged. */
  | { readonly data: unknown; readonly event?: string }
  /** Unchanged bytes. */
  | { readonly raw: string | Uint8Array }
  /** The finish reason. Default: `tool_calls` after calls, otherwise `stop`. */
  | { readonly finish: string }
  | { readonly usage: Readonly<Record<string, unknown>> }
  /** Waits until `cue` was called with this name. */
  | { readonly awaitCue: string }
  | { readonly pauseMs: number }
  /** Sends nothing more until the client disconnects. */
  | "stall"
  /** Closes the connection in the middle. */
  | "cut"
  /** Ends the body here, without its usual end. */
  | "end"
  /** Omits the event `[DONE]`. */
  | "noDone"

/**
 * The response to a request. Without `status` or `body`, it is an event stream of the API in the request's path, or
 * embeddings as JSON.
 */
export interface FakeReply {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  /** A cue to wait for before the first byte. */
  readonly awaitCue?: string
  /** Sends no response until the client disconnects. */
  readonly silent?: boolean
  /** The complete body, instead of acts. An object is sent as JSON. */
  readonly body?: unknown
  readonly acts?: ReadonlyArray<FakeResponseStep>
}

/** A received request. */
export interface FakeRequest {
  /** The number of the request, from 1. */
  readonly n: number
  readonly path: string
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
  /** The body as JSON, or null if it is not JSON. */
  readonly body: Readonly<Record<string, unknown>> | null
}

/** A request with its result. Times are epoch ms of the fake's machine. */
export interface FakeRequestRecord extends FakeRequest {
  readonly askedAt: number
  /** The numbers of written pieces and bytes. */
  writes: number
  bytes: number
  /** The time of its end, or null while it is answered. */
  closedAt: number | null
  /** `client` if the client disconnected before the response was complete. */
  closedBy: "client" | "server" | null
}

/** The responses: a list, whose last item repeats, or a function of the request. */
export type FakeScript = ReadonlyArray<FakeReply> | ((request: FakeRequest) => FakeReply)
