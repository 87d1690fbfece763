import { endPart, ScriptedModel } from "@tapeline/testing/agent/ScriptedModel"
import { Effect } from "effect"
import { afterEach, assert, expect, it, vi } from "vitest"
import { toEffectClient } from "../src/effect.ts"
import { type ClientSettings, createClient, isClientError } from "../src/index.ts"
import { failFetch, jsonResponse, makeTestClient, problemResponse } from "./support/fakeService.ts"
import { startService } from "./support/service.ts"

afterEach(() => vi.unstubAllGlobals())

/**
 * Returns a `fetch` that behaves like a browser with a page of `origin` open: stores cookies and sends
 * `sec-fetch-site`.
 */
const browserOf = (origin: string) => {
  const jar = new Map<string, string>()
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const isOwn = init?.credentials === "same-origin" &&
      new URL(input instanceof Request ? input.url : input).origin === origin
    const headers = new Headers(init?.headers)
    headers.set("sec-fetch-site", isOwn ? "same-origin" : "cross-site")
    if (isOwn) headers.set("cookie", [...jar].map(([name, value]) => `${name}=${value}`).join("; "))
    const response = await globalThis.fetch(input, { ...init, headers })
    for (const line of isOwn ? response.headers.getSetCookie() : []) {
      const [name = "", value = ""] = line.split(";")[0]!.split("=")
      if (value === "") jar.delete(name)
      else jar.set(name, value)
    }
    return response
  }
  vi.stubGlobal("location", { origin })
  return { fetch, jar }
}

const tagOf = (error: unknown) => isClientError(error) ? error._tag : String(error)
const failing = (request: Promise<unknown>) => request.then(() => "nothing", tagOf)

it("signs in from a page, manages the account, and calls tools without a key", async () => {
  const service = await startService(new ScriptedModel(() => [endPart]).layer)
  const { port, stop } = await service.listen()
  const url = `http://127.0.0.1:${port}`
  try {
    const { link } = await service.createAccount()
    const { fetch, jar } = browserOf(url)
    const client = createClient({ url, fetch })
    expect(await failing(client.account.read())).toBe("SessionRequired")
    const text = await link()
    const { session } = await client.account.signIn(text)
    const usedLinkError = await client.account.signIn(text).catch((error: unknown) => error)
    assert(isClientError(usedLinkError) && usedLinkError._tag === "LinkRefused")
    expect([usedLinkError.reason, usedLinkError.status]).toEqual(["used", 403])
    expect(await client.account.read()).toMatchObject({ session: { id: session.id }, plan: { name: "roomy", keys: 2 } })
    expect((await client.call("test_price", { coin: "BTC" })).credits_used).toBe(5)
    expect((await client.catalogue()).tools).toHaveLength(2)

    const issued = await client.account.issueKey({ name: "laptop", scopes: ["read:market"] })
    const program = createClient({ url, key: issued.key })
    await program.call("test_ping", {})
    expect(await failing(createClient({ url, fetch, key: issued.key }).account.keys())).toBe("SessionRequired")
    const full = await client.account.issueKey({ name: "another", scopes: ["read:us"] }).catch((error: unknown) =>
      error
    )
    assert(isClientError(full) && full._tag === "KeyLimit")
    expect(full.ways_forward.map(({ action }) => action)).toEqual(["revoke", "upgrade"])
    expect((await client.account.changeKey(issued.id, { scopes: ["read:us"] })).scopes).toEqual(["read:us"])
    expect(await failing(program.call("test_ping", {}))).toBe("ScopeRequired")
    await client.account.revokeKey(issued.id)
    expect((await client.account.keys({ limit: 1 })).next_cursor).toBeTypeOf("number")

    const other = createClient({ url, fetch: browserOf(url).fetch })
    const otherSession = (await other.account.signIn(await link())).session
    await client.account.endSession(otherSession.id)
    expect(await failing(other.account.read())).toBe("SessionRequired")
    expect(await client.account.endOtherSessions()).toEqual({ ended: 0, paused_tasks: 0 })
    expect((await client.account.sessions()).sessions.map(({ ended_because }) => ended_because)).toEqual([
      null,
      "revoked"
    ])
    const usage = await client.account.usage()
    expect(usage.keys).toEqual([
      { kind: "key", id: issued.id, name: "laptop", calls: 1, failed: 0, credits: 1 },
      { kind: "session", id: null, name: null, calls: 1, failed: 0, credits: 5 }
    ])
    expect(usage.days.reduce((sum, { credits }) => sum + credits, 0)).toBe(6)
    const earlier = await Effect.runPromise(toEffectClient(client).account.usage({ month: "2020-02" }))
    expect([earlier.month, earlier.days, earlier.keys]).toEqual(["2020-02", [], []])
    const { keys } = await Effect.runPromise(toEffectClient(client).account.keys())
    expect(keys).toHaveLength(2)
    await client.account.signOut()
    expect(jar.size).toBe(0)
    expect(await failing(client.usage())).toBe("InvalidKey")
  } finally {
    await stop()
    await service.dispose()
  }
})

it("requires a key except in a page of the service's own origin", () => {
  const settings: ClientSettings = { url: "https://tapeline.example/behind/a/path" }
  expect(() => createClient(settings)).toThrow(/Tapeline client: key must be/)
  vi.stubGlobal("location", { origin: "https://elsewhere.example" })
  expect(() => createClient(settings)).toThrow(/key must be/)
  vi.stubGlobal("location", { origin: "https://tapeline.example" })
  expect(createClient(settings)).toBeTypeOf("object")
})

it("sends no cookies with a key, and sends cookies and the console header without a key", async () => {
  const requestOptions: Array<RequestInit> = []
  const fetch: typeof globalThis.fetch = async (_, init) => {
    requestOptions.push(init!)
    return jsonResponse({ status: "ok" })
  }
  vi.stubGlobal("location", { origin: "https://tapeline.example" })
  await createClient({ url: "https://tapeline.example", fetch }).health()
  await createClient({ url: "https://tapeline.example", fetch, account: 7 }).health()
  await createClient({ url: "https://tapeline.example", fetch, key: "k", account: 7 }).health()
  const sentHeaders = requestOptions.map(({ credentials, headers }) => {
    const sent = new Headers(headers)
    return [credentials, ...["x-tapeline-console", "x-tapeline-account", "authorization"].map((name) => sent.get(name))]
  })
  expect(sentHeaders).toEqual([["same-origin", "1", null, null], ["same-origin", "1", "7", null], [
    "omit",
    null,
    null,
    "Bearer k"
  ]])
})

it("repeats a request that must not run twice only if the service rejected it", async () => {
  const disconnected = makeTestClient(() => failFetch())
  expect(await failing(disconnected.client.account.issueKey({ name: "a", scopes: ["read:us"] }))).toBe("ConnectionLost")
  expect(await failing(disconnected.client.account.signIn("tl_link_"))).toBe("ConnectionLost")
  expect(disconnected.requests).toHaveLength(2)
  const busy = makeTestClient((_, number) =>
    number === 0
      ? problemResponse(503, "unavailable", { retry_after_seconds: 1 }, { "retry-after": "1" })
      : jsonResponse({ id: 7 })
  )
  expect(await busy.client.account.issueKey({ name: "a", scopes: ["read:us"] })).toEqual({ id: 7 })
  const proxied = makeTestClient(() => new Response("Bad gateway", { status: 502 }))
  expect(await failing(proxied.client.account.issueKey({ name: "a", scopes: ["read:us"] }))).toBe("UnexpectedAnswer")
  expect(proxied.requests).toHaveLength(1)
})

it("treats a 401 after a lost sign-out response as success, and does not retry too_many_attempts", async () => {
  const { requests, client } = makeTestClient((_, number) => {
    if (number === 0) return failFetch()
    return problemResponse(401, "session_required")
  })
  await client.account.signOut()
  expect(requests).toHaveLength(2)
  expect(await failing(client.account.signOut())).toBe("SessionRequired")
  const waiting = makeTestClient(() =>
    problemResponse(429, "too_many_attempts", { retry_after_seconds: 60 }, { "retry-after": "60" })
  )
  expect(await failing(waiting.client.account.signIn("tl_link_"))).toBe("TooManyAttempts")
  expect(waiting.requests).toHaveLength(1)
})

it("repeats a truncated export until its last line arrives, and returns it unchanged", async () => {
  const complete = "{\"kind\":\"archive\"}\n{\"kind\":\"end\",\"lines\":2,\"counts\":{}}\n"
  const responses = [complete.slice(0, -30), complete.slice(0, -1), complete]
  const { client } = makeTestClient(() =>
    new Response(responses.shift(), { headers: { "content-type": "application/jsonl" } })
  )
  assert.strictEqual(new TextDecoder().decode(await client.account.exportData()), complete)
  assert.isEmpty(responses)
})
