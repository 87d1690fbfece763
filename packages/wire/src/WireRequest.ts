import type { IncomingMessage } from "node:http"

/** What was asked, as it came. */
export interface WireRequest {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: IncomingMessage["headers"]
}
