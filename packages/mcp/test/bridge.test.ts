import type { CallToolResult, Client } from "@modelcontextprotocol/client"
import type { Scope } from "@tapeline/core/engine"
import { get, request } from "node:http"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { readOptions } from "../src/bin/options.ts"
import { connectHttp, connectStdio, startBridge } from "./support/clients.ts"
import { startService } from "./support/service.ts"

const korea = ["get_kr_market", "get_kr_stock"]
const personal = ["add_journal_note", "delete_position", "get_positions", "set_position"]
const everything = [...korea, ...personal, "accept_proposal", "ask_analyst", "get_price", "get_us_stock"].sort()

let service: Awaited<ReturnType<typeof startService>>
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.dispose())

const namesOf = async (client: Client) => (await client.listTools()).tools.map(({ name }) => name).sort()

const textOf = (result: CallToolResult) =>
  result.content.map((part) => part.type === "text" ? part.text : "").join("\n")

const call = (client: Client, name: string, args: Record<string, unknown> = {}) =>
  client.callTool({ name, arguments: args })

/** Checks the tools that every transport offers to a key with all scopes. */
const testAllTools = async (client: Client) => {
  expect(await namesOf(client)).toEqual(everything)
  const price = await call(client, "get_price", { coin: "btc" })
  expect(price.isError).toBeFalsy()
  expect(price.structuredContent).toMatchObject({ coin: "BTC", source: "simulated" })
  expect(JSON.parse(textOf(price).split("\n")[0]!)).toEqual(price.structuredContent)
  expect(textOf(price)).toMatch(/^1 credit used, \d+ left this month\.$/m)
  const callIds = { "tapeline/call_id": expect.stringMatching(/^call_\d{6}_\d+$/) }
  expect(price._meta).toMatchObject(callIds)
  const unknown = await call(client, "get_price", { coin: "NOSUCH" })
  expect(unknown.isError).toBe(true)
  expect(textOf(unknown)).toMatch(/NOSUCH.*unknown_symbol; nothing was charged/)
  const invalidArgumentResult = await call(client, "get_price", { coins: "BTC" })
  expect(invalidArgumentResult.isError).toBe(true)
  expect(textOf(invalidArgumentResult)).toMatch(/Invalid arguments.*coins: .*coin: .*Correct them/s)
  const progress: Array<string> = []
  // The client drops progress messages that arrive together with the answer, so the test handles the notification
  // itself.
  client.setNotificationHandler(
    "notifications/progress",
    ({ params: { message = "" } }) => void progress.push(message)
  )
  const answer = await client.callTool({ name: "ask_analyst", arguments: { question: "How is BTC?" } }, {
    onprogress: () => undefined
  })
  expect(answer.structuredContent).toMatchObject({ answer: "BTC has a price.", outcome: "finished", credits_used: 20 })
  expect(answer._meta).toMatchObject(callIds)
  expect(progress).toContain("Calling get_price")
}

/** Checks the tools that every transport offers to a key with only Korean data. */
const koreaAlone = async (client: Client) => {
  expect(await namesOf(client)).toEqual(korea)
  expect((await call(client, "get_kr_stock", { symbol: "005930" })).isError).toBeFalsy()
  const price = await call(client, "get_price", { coin: "BTC" })
  expect(price.isError).toBe(true)
  expect(textOf(price)).toMatch(/needs the scope read:market/)
  const answer = await call(client, "ask_analyst", { question: "How is BTC?" })
  expect(textOf(answer)).toMatch(/needs the scope agent:chat/)
}

describe("stdio", () => {
  it("lists and calls the tools of a key with all scopes, and reports errors", async () => {
    const { key } = await service.createAccount()
    const { client, unexpectedOutput } = await connectStdio(service.url, key)
    await testAllTools(client)
    const tools = new Map((await client.listTools()).tools.map((tool) => [tool.name, tool]))
    expect(tools.get("get_price")).toMatchObject({
      title: "Get price",
      description: expect.stringMatching(/ 1 credit, read:market\.$/),
      inputSchema: { type: "object", required: ["coin"] },
      outputSchema: { type: "object" },
      annotations: { readOnlyHint: true }
    })
    const hints = personal.map((name) => [name, tools.get(name)?.annotations])
    expect(Object.fromEntries(hints)).toMatchObject({
      add_journal_note: { readOnlyHint: false, destructiveHint: false },
      delete_position: { readOnlyHint: false, destructiveHint: true },
      set_position: { readOnlyHint: false, destructiveHint: true },
      get_positions: { readOnlyHint: true }
    })
    const { contents } = await client.readResource({ uri: "tapeline://tools/get_price" })
    expect(JSON.parse("text" in contents[0]! ? contents[0].text : "")).toMatchObject({
      result: { properties: { price: { type: "number" } } }
    })
    await client.close()
    expect(unexpectedOutput).toEqual([])
  })

  it("lists only the tools of a key with read:korea, and updates the list with its scopes", async () => {
    const { key, rescope } = await service.createAccount({ scopes: ["read:korea"] })
    const { client } = await connectStdio(service.url, key)
    await koreaAlone(client)
    const listChanged = new Promise<void>((resolve) => {
      client.setNotificationHandler("notifications/tools/list_changed", () => resolve())
    })
    const us: ReadonlyArray<Scope> = ["read:us"]
    await rescope(us)
    // A rejected call makes the bridge request the catalogue again.
    expect(textOf(await call(client, "get_kr_stock", { symbol: "005930" }))).toMatch(/needs the scope read:market/)
    await listChanged
    expect(await namesOf(client)).toEqual(["get_us_stock"])
    await client.close()
  })

  it("aborts an answer if its request is cancelled", async () => {
    const { key } = await service.createAccount()
    const { client } = await connectStdio(service.url, key)
    const cancellation = new AbortController()
    const { abortedStreams } = service.model
    const pendingCall = client.callTool({ name: "ask_analyst", arguments: { question: "wait for me" } }, {
      signal: cancellation.signal,
      onprogress: ({ message }) => {
        if (message === "Writing the answer") cancellation.abort(new Error("never mind"))
      }
    })
    await expect(pendingCall).rejects.toThrow("never mind")
    await expect.poll(() => service.model.abortedStreams).toBe(abortedStreams + 1)
    await client.close()
  })

  it("offers three meta tools instead of all tools with --meta", async () => {
    const { key } = await service.createAccount()
    const { client } = await connectStdio(service.url, key, ["--meta"])
    expect(await namesOf(client)).toEqual(["call_tool", "describe_tools", "find_tools"])
    const toolList = await call(client, "find_tools", { query: "positions that I hold" })
    expect(toolList.structuredContent).toMatchObject({
      tools: expect.arrayContaining([{
        name: "get_positions",
        summary: expect.any(String),
        credits: 1
      }])
    })
    const toolDescription = await call(client, "describe_tools", { names: ["get_price"], results: true })
    expect(toolDescription.structuredContent).toMatchObject({
      tools: [{ name: "get_price", price: "1 credit, read:market", arguments: { required: ["coin"] }, result: {} }]
    })
    const price = await call(client, "call_tool", { name: "get_price", arguments: { coin: "BTC" } })
    expect(price.structuredContent).toMatchObject({ coin: "BTC" })
    expect((await call(client, "call_tool", { name: "get_riches" })).isError).toBe(true)
    await client.close()
  })
})

describe("the command", () => {
  it("reports an invalid address or key without printing the key", async () => {
    const unknownKey = `tl_live_${"a".repeat(38)}`
    const cases: ReadonlyArray<readonly [Record<string, string>, ReadonlyArray<string>, RegExp, number]> = [
      [{ TAPELINE_URL: "example", TAPELINE_API_KEY: unknownKey }, [], /url must be an address/, 2],
      [{ TAPELINE_URL: service.url, TAPELINE_API_KEY: unknownKey }, [], /rejected the key in TAPELINE_API_KEY/, 2],
      [
        { TAPELINE_URL: `${service.url}/docs`, TAPELINE_API_KEY: unknownKey },
        [],
        /rejected the request for its tools|no Tapeline/,
        1
      ]
    ]
    const env = { TAPELINE_URL: service.url, TAPELINE_API_KEY: unknownKey }
    expect(() => readOptions([], { TAPELINE_API_KEY: unknownKey })).toThrow(/^TAPELINE_URL is not set/)
    expect(() => readOptions([], { TAPELINE_URL: service.url })).toThrow(/^TAPELINE_API_KEY is not set/)
    expect(() => readOptions(["--http", "x"], env)).toThrow(/^--http must be a port/)
    expect(() => readOptions(["--hhtp"], env)).toThrow(/--hhtp.*tapeline-mcp:/s)
    await Promise.all(cases.map(async ([env, args, expectedOutput, code]) => {
      const { exitCode, output } = startBridge(args, env)
      expect(await exitCode).toBe(code)
      expect(output.stderr).toMatch(expectedOutput)
      expect(output.stderr + output.stdout).not.toContain(unknownKey)
      expect(output.stdout).toBe("")
    }))
  })

  it("serves streamable HTTP on loopback, and rejects foreign origins and hosts", async () => {
    const { key } = await service.createAccount()
    const bridge = startBridge(["--http", "0"], { TAPELINE_URL: service.url, TAPELINE_API_KEY: key })
    const url = (await bridge.waitForOutput(/listens on (\S+)/))[1]!
    const legacy = await connectHttp(url, "none", "legacy")
    await testAllTools(legacy)
    await legacy.close()
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" })
    const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" }
    const send = async (extraHeaders: Record<string, string>, method = "POST") =>
      (await fetch(url, { method, headers: { ...headers, ...extraHeaders }, ...(method === "POST" ? { body } : {}) }))
        .status
    expect(await send({})).toBe(200)
    expect(await send({ origin: "http://localhost:3000" })).toBe(200)
    expect(await send({ origin: "https://evil.example" })).toBe(403)
    expect(await send({}, "GET")).toBe(405)
    const { port } = new URL(url)
    const reboundStatus = new Promise<number | undefined>((resolve) => {
      get({ port, path: "/mcp", headers: { host: "evil.example" } }, ({ statusCode }) => resolve(statusCode))
    })
    expect(await reboundStatus).toBe(403)
    const connection = new Promise<string | undefined>((resolve) => {
      const connectionHeader = request(url, { method: "POST", headers, agent: false }, (answer) => {
        answer.resume()
        resolve(answer.headers.connection)
      })
      connectionHeader.end(body)
    })
    expect(await connection).toBe("close")
    bridge.child.kill("SIGTERM")
    await bridge.exitCode
    expect(bridge.output.stdout).toBe("")
  })
})

describe("the service's own /mcp", () => {
  it.each(["legacy", "auto"] as const)("serves clients of either protocol version (%s)", async (mode) => {
    const [all, some] = await Promise.all([service.createAccount(), service.createAccount({ scopes: ["read:korea"] })])
    const client = await connectHttp(`${service.url}/mcp`, all.key, mode)
    await expect(testAllTools(client)).resolves.toBeUndefined()
    await client.close()
    const narrow = await connectHttp(`${service.url}/mcp`, some.key, mode)
    await koreaAlone(narrow)
    await narrow.close()
  })

  it("authenticates, limits, charges and rejects requests like every endpoint", async () => {
    const { key } = await service.createAccount({ plan: "poor" })
    const headers = {
      authorization: `Bearer ${key}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream"
    }
    const ask = (body: unknown, extraHeaders: Record<string, string> = {}, method = "POST") =>
      fetch(`${service.url}/mcp`, {
        method,
        headers: { ...headers, ...extraHeaders },
        ...(method === "GET" ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) })
      })
    const ping = { jsonrpc: "2.0", id: 1, method: "ping" }
    const first = await ask(ping)
    expect(first.status).toBe(200)
    expect(first.headers.get("ratelimit-limit")).toBe("100000")
    const code = async (response: Response) => {
      expect(response.headers.get("content-type")).toBe("application/problem+json")
      const problem: unknown = await response.json()
      return [response.status, typeof problem === "object" && problem !== null && "code" in problem && problem.code]
    }
    const rejectedPing = await ask(ping, { authorization: "Bearer tl_live_none" })
    expect(rejectedPing.headers.get("www-authenticate")).toBe("Bearer")
    expect(await code(rejectedPing)).toEqual([401, "invalid_key"])
    expect(await code(await ask("", {}, "GET"))).toEqual([405, "method_not_allowed"])
    expect(await code(await ask([ping, ping]))).toEqual([400, "invalid_body"])
    expect(await code(await ask(ping, { "content-type": "text/plain" }))).toEqual([415, "unsupported_media_type"])
    expect(await code(await ask({ ...ping, filler: "x".repeat(300_000) }))).toEqual([413, "payload_too_large"])
    const client = await connectHttp(`${service.url}/mcp`, key, "legacy")
    expect(textOf(await call(client, "get_kr_stock", { symbol: "005930" }))).toContain("5 credits used, 2 left")
    const scopeResult = await call(client, "get_kr_stock", { symbol: "005930" })
    expect(scopeResult.isError).toBe(true)
    expect(textOf(scopeResult)).toMatch(/costs 5 and 2 are left this month.*renew at \d{4}-\d\d-01T00:00:00/s)
    await client.close()
  })

  it("aborts an answer if a 2026 client closes its request, but not if a 2025 client disconnects", async () => {
    const { key } = await service.createAccount()
    const { abortedStreams, openStreams } = service.model
    // The second answer ends later than the first answer, so the first answer has ended when the end of the second
    // answer is visible.
    for (const mode of ["legacy", "auto"] as const) {
      const connections = new AbortController()
      const client = await connectHttp(`${service.url}/mcp`, key, mode, (input, init) =>
        globalThis.fetch(input, {
          ...init,
          signal: AbortSignal.any([connections.signal, ...(init?.signal ? [init.signal] : [])])
        }))
      const writing = new Promise<void>((resolve) => {
        client.callTool({ name: "ask_analyst", arguments: { question: "wait for me" } }, {
          onprogress: ({ message }) => void (message === "Writing the answer" && resolve())
        }).catch(() => undefined)
      })
      await writing
      connections.abort()
      if (mode === "auto") await expect.poll(() => service.model.abortedStreams).toBe(abortedStreams + 1)
      await client.close().catch(() => undefined)
    }
    expect(service.model.abortedStreams).toBe(abortedStreams + 1)
    expect(service.model.openStreams).toBe(openStreams + 1)
  })
})
