import type { IncomingMessage } from "node:http"

/** An HTTP request that a fake server received. */
export interface FakeRequest {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: IncomingMessage["headers"]
}
