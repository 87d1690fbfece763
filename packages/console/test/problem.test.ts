import { createClient } from "@tapeline/client"
import { afterEach, describe, expect, it, vi } from "vitest"
import { toProblem } from "../browser/requests/problem.ts"

afterEach(() => vi.unstubAllGlobals())

/** Returns the problem that the page shows for the service's response `answer`. */
const troubleAt = async (answer: () => Response | Promise<Response>, onLine = true) => {
  vi.stubGlobal("navigator", { onLine })
  const client = createClient({
    url: "http://127.0.0.1:8787",
    key: "tl_live_x",
    fetch: () => Promise.resolve().then(answer),
    timeout_ms: 300
  })
  return client.usage({}, { max_wait_ms: 1 }).then(
    () => expect.fail("the call succeeded"),
    (error: unknown) => toProblem(error)
  )
}

const problem = (status: number, code: string, headers: Record<string, string> = {}) => () =>
  new Response(JSON.stringify({ type: `urn:tapeline:problem:${code}`, status, code, detail: "말", request_id: "r1" }), {
    status,
    headers: { "content-type": "application/problem+json", ...headers }
  })

describe("The problem shown for a failed call", () => {
  it.each(
    [
      ["signed out", 401, "invalid_key", false],
      ["out of credits", 402, "over_limit", false],
      ["refused", 403, "scope_required", false],
      ["other account", 403, "other_account", false],
      ["sign in again", 403, "sign_in_again", false],
      ["not there", 404, "conversation_not_found", false],
      ["failed", 500, "internal", true]
    ] as const
  )("has the kind \"%s\" and the message of the response", async (kind, status, code, isRetryable) => {
    expect(await troubleAt(problem(status, code))).toEqual({
      kind,
      message: "말",
      requestId: "r1",
      isRetryable: isRetryable
    })
  })

  it("lists each invalid argument of a rejected call", async () => {
    const body = {
      type: "urn:tapeline:problem:invalid_arguments",
      status: 400,
      code: "invalid_arguments",
      detail: "2 arguments are invalid; see `issues`.",
      request_id: "r1",
      issues: [{ path: ["message"], message: "Write a question." }, { path: [], message: "There are 3 more issues." }]
    }
    const answer = new Response(JSON.stringify(body), {
      status: 400,
      headers: { "content-type": "application/problem+json" }
    })
    expect(await troubleAt(() => answer))
      .toMatchObject({ kind: "refused", message: "message: Write a question. There are 3 more issues." })
  })

  it("is \"too fast\" and can be retried after a 429 response", async () => {
    expect(await troubleAt(problem(429, "rate_limited", { "retry-after": "30" })))
      .toMatchObject({ kind: "too fast", isRetryable: true })
  })

  it("is \"unreachable\", or \"offline\" if the browser reports no network", async () => {
    const failFetch = () => Promise.reject(new TypeError("fetch failed"))
    expect(await troubleAt(failFetch)).toMatchObject({ kind: "unreachable", message: undefined, isRetryable: true })
    expect(await troubleAt(failFetch, false)).toMatchObject({ kind: "offline", isRetryable: true })
  })

  it("is \"unreachable\" if another server answers in place of the service", async () => {
    expect(await troubleAt(() => new Response("<h1>Proxy</h1>", { status: 200 }))).toMatchObject({
      kind: "unreachable"
    })
  })

  it("is \"failed\" for an error in the page's own code", () => {
    expect(toProblem(new TypeError("x is not a function"))).toMatchObject({ kind: "failed", isRetryable: true })
  })
})
