/** A step of a response. The steps `choice` and `raw` can send output that no correct server sends. */
export type FakeResponseStep =
  | { readonly text: string }
  | { readonly reasoning: string; readonly field?: "reasoning" | "reasoning_content" }
  /** A complete tool call, whose arguments are split into `pieces` parts. */
  | {
    readonly call: string
    readonly arguments: unknown
    readonly pieces?: number
    readonly index?: number | null
    readonly id?: string | null
  }
  | { readonly refusal: string }
  /** Sends a chunk whose first choice contains the given fields. */
  | { readonly choice: Readonly<Record<string, unknown>> }
  /** Sends an event with exactly the given data. */
  | { readonly data: unknown; readonly event?: string }
  | { readonly raw: string | Uint8Array }
  /** Sets the finish reason of the response, by default `tool_calls` after calls, and `stop` without calls. */
  | { readonly finish: string }
  | { readonly usage: Readonly<Record<string, unknown>> }
  | { readonly awaitCue: string }
  | { readonly pauseMs: number }
  /** Sends no more data, but leaves the connection open until the client disconnects. */
  | "stall"
  /** Closes the connection in the middle of the response. */
  | "cut"
  /** Ends the body immediately, without the final events that a server usually sends. */
  | "end"
  | "noDone"

/** The response to a request. By default, the server sends an event stream in the format of the requested API. */
export interface FakeReply {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  /** The name of a cue to wait for before the first byte. */
  readonly awaitCue?: string
  /** Whether the server sends no response until the client disconnects. */
  readonly silent?: boolean
  /**
   * The complete response body. If `body` is set, the server ignores `acts`. If the body is an object, the server sends
   * it as JSON.
   */
  readonly body?: unknown
  readonly acts?: ReadonlyArray<FakeResponseStep>
}

export interface FakeRequest {
  readonly n: number
  readonly path: string
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
  /** The body as JSON, or null if the body is not JSON. */
  readonly body: Readonly<Record<string, unknown>> | null
}

/** A request and its result. Times are in epoch milliseconds of the machine on which the fake server runs. */
export interface FakeRequestRecord extends FakeRequest {
  readonly askedAt: number
  writes: number
  bytes: number
  /** The time at which the response ended, or null while the response is not complete. */
  closedAt: number | null
  /**
   * The side that closed the response. If the client closed the response, the server had not sent the whole response.
   */
  closedBy: "client" | "server" | null
}

/** The responses of the fake server: a list, whose last item repeats, or a function of the request. */
export type FakeScript = ReadonlyArray<FakeReply> | ((request: FakeRequest) => FakeReply)
