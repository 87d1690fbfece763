import { Client, InMemoryTransport } from "@modelcontextprotocol/client"
import { createClient } from "@tapeline/client"
import { makeCatalogue, pricedOperations, specifications } from "@tapeline/core/specifications"
import { afterEach, describe, expect, it, vi } from "vitest"
import { makeClientService } from "../src/bin/clientService.ts"
import { readOptions } from "../src/bin/options.ts"
import { watchCatalogue } from "../src/bin/watchCatalogue.ts"
import {
  type AnalystAnswer,
  type BridgeOptions,
  type Catalogue,
  makeServer,
  type Service,
  ServiceError
} from "../src/index.ts"

const catalogue: Catalogue = { tools: makeCatalogue(specifications), operations: pricedOperations }
const makeProblemError = (
  problem: { readonly code: string; readonly detail: string; readonly [field: string]: unknown }
) => new ServiceError({ kind: "refused", problem })

/** Returns a client of a bridge over a fake service, and the calls that the service received. */
const connected = async (methods: Partial<Service>, options: BridgeOptions = {}) => {
  const calls: Array<unknown> = []
  const service: Service = {
    catalogue: () => Promise.resolve(catalogue),
    call: (name, args) => {
      calls.push([name, args])
      return Promise.resolve({ data: {}, credits_used: 1, credits_left: 1 })
    },
    ask: () => Promise.reject(new Error("not asked")),
    acceptProposal: () => Promise.reject(new Error("not accepted")),
    ...methods
  }
  const [near, far] = InMemoryTransport.createLinkedPair()
  const client = new Client({ name: "test", version: "1.0.0" })
  await Promise.all([makeServer(service, options).connect(far), client.connect(near)])
  const call = async (name: string, args: Record<string, unknown>) => {
    const { content, isError } = await client.callTool({ name, arguments: args })
    return { isError: isError === true, text: content.map((part) => part.type === "text" ? part.text : "").join("\n") }
  }
  return { client, calls, call }
}

afterEach(() => void vi.useRealTimers())

describe("the three meta tools", () => {
  it("make no call with arguments that are not an object", async () => {
    const { call, calls } = await connected({}, { meta: true })
    for (const invalidJson of ["{\"coin\":\"BTC\"}", [], 1]) {
      expect(await call("call_tool", { name: "get_price", arguments: invalidJson })).toMatchObject({
        isError: true,
        text: expect.stringMatching(/arguments: expected an object.*Nothing was charged/)
      })
    }
    expect(calls).toEqual([])
    await call("call_tool", { name: "get_fear_greed" })
    expect(calls).toEqual([["get_fear_greed", {}]])
  })

  it("name every scope that allows a tool, and all areas if the requested area does not exist", async () => {
    const { call } = await connected({}, { meta: true })
    const toolDescription = await call("describe_tools", { names: ["get_kr_stock"] })
    expect(toolDescription.text).toContain("read:market or read:korea")
    expect((await call("find_tools", { area: "coins" })).text).toMatch(/Unknown area; known areas: crypto, .*agent/)
  })

  it("shorten unknown names that are long", async () => {
    const { call } = await connected({}, { meta: true })
    const long = "n".repeat(200_000)
    const shortenedMessage = `There is no tool ${"n".repeat(100)}…`
    expect((await call("describe_tools", { names: [long, "x"] })).text).toContain(
      `${shortenedMessage}, x for this key.`
    )
    expect((await call(long, {})).text).toContain(`${shortenedMessage}. Available: find_tools`)
  })

  it("shorten an unknown resource's address that is long", async () => {
    const { client } = await connected({})
    const uri = `tapeline://tools/${"n".repeat(100_000)}`
    await expect(client.readResource({ uri })).rejects.toThrow(
      `Resource not found, or not accessible to this key: ${uri.slice(0, 100)}…`
    )
  })
})

describe("a question to the analyst", () => {
  it("reports invalid arguments by the names of its MCP fields", async () => {
    const { call } = await connected({
      ask: () =>
        Promise.reject(makeProblemError({
          code: "invalid_arguments",
          detail: "",
          issues: [{ path: ["message"], message: "Too long." }, { path: ["coin"], message: "No." }]
        }))
    })
    expect((await call("ask_analyst", { question: "x" })).text).toMatch(/question: Too long\. coin: No\./)
    expect((await call("ask_analyst", { question: "x", message: "y" })).text).toMatch(
      /expected a text, and no argument `message`/
    )
  })

  it("repeats the last progress message while nothing changes", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] })
    let finish: (answer: AnalystAnswer) => void = () => undefined
    let signalCall: () => void = () => undefined
    const callArrival = new Promise<void>((resolve) => {
      signalCall = resolve
    })
    const { client } = await connected({
      ask: (_, { onProgress }) => {
        onProgress("Thinking")
        signalCall()
        return new Promise((resolve) => {
          finish = resolve
        })
      }
    })
    const progressReports: Array<unknown> = []
    const answer = client.callTool({ name: "ask_analyst", arguments: { question: "x" } }, {
      onprogress: ({ message, progress }) => void progressReports.push([progress, message])
    })
    await callArrival
    vi.advanceTimersByTime(31_000)
    finish({ answer: "y", conversation_id: 1, outcome: "finished", suggestions: [] })
    await answer
    expect(progressReports).toEqual([[1, "Thinking"], [2, "Thinking"], [3, "Thinking"]])
    expect(vi.getTimerCount()).toBe(0)
  })

  it("refreshes the catalogue if the service rejects it for a missing scope", async () => {
    let now = catalogue
    const scopeError = makeProblemError({ code: "scope_required", detail: "" })
    const listChanged = new Promise<void>((resolve) => {
      const { service, stop } = watchCatalogue({
        catalogue: () => Promise.resolve(now),
        call: () => Promise.reject(scopeError),
        ask: () => Promise.reject(scopeError),
        acceptProposal: () => Promise.reject(scopeError)
      }, () => {
        stop()
        resolve()
      })
      void service.catalogue().then(async () => {
        now = { ...catalogue, operations: [] }
        const requestContext = { cancelled: new AbortController().signal, onProgress: () => undefined }
        await expect(service.ask({ message: "x" }, requestContext)).rejects.toBe(scopeError)
      })
    })
    await listChanged
  })
})

it("returns all fields of a failed call as metadata", async () => {
  const failure = {
    code: "ambiguous_name",
    message: "Which?",
    retryable: false,
    candidates: [{ symbol: "A", name: "a" }],
    source: "binance",
    failure: "unreachable"
  }
  const { client } = await connected({
    call: () => Promise.reject(new ServiceError({ kind: "failed", ...failure, call_id: "c" }))
  })
  const { _meta } = await client.callTool({ name: "get_kr_stock", arguments: { symbol: "a" } })
  expect(_meta).toEqual({ "tapeline/problem": failure, "tapeline/call_id": "c" })
})

describe("an unavailable catalogue", () => {
  it("reports the reason in words", async () => {
    const { client } = await connected({
      catalogue: () => Promise.reject(makeProblemError({ code: "invalid_key", detail: "Send a header." }))
    })
    await expect(client.listTools()).rejects.toThrow(
      /No call works until the MCP server is configured with a valid key/
    )
  })
})

describe("error texts for models", () => {
  it("use natural number words, and state whether a charge is uncertain", async () => {
    const callWithError = async (error: ServiceError) =>
      (await (await connected({ call: () => Promise.reject(error) })).call("get_price", {})).text
    const overLimitError = makeProblemError({ code: "over_limit", detail: "", price: 5, credits_left: 1 })
    expect(await callWithError(overLimitError)).toContain("this costs 5 and 1 is left this month")
    const quotaError = makeProblemError({ code: "daily_quota_reached", detail: "", quota: 1, renews_at: "tomorrow" })
    expect(await callWithError(quotaError)).toContain("Today's only answer is used; nothing was charged")
    const unreachableError = new ServiceError({ kind: "unreachable", message: "POST /v1/tools/get_price: gone" })
    expect(await callWithError(unreachableError)).toMatch(
      /try again later\. It is unknown whether this call was executed and charged/
    )
  })
})

describe("the service behind its client", () => {
  const over = (answer: unknown) =>
    makeClientService(createClient({
      url: "http://service.example",
      key: "tl_live_x",
      fetch: () => Promise.resolve(Response.json(answer))
    }))

  it("rejects a response that is not a catalogue", async () => {
    for (const answer of [null, {}, [], { tools: [] }, { tools: [1], operations: [] }]) {
      await expect(over(answer).catalogue()).rejects.toThrow(/no list of tools/)
    }
    await expect(over({ tools: [], operations: [] }).catalogue()).resolves.toEqual({ tools: [], operations: [] })
  })

  it("reports a rate limit immediately instead of waiting", async () => {
    const problem = { code: "rate_limited", status: 429, detail: "Too many.", retry_after_seconds: 48 }
    let callCount = 0
    const { call } = await connected(makeClientService(createClient({
      url: "http://service.example",
      key: "tl_live_x",
      fetch: () => {
        callCount++
        return Promise.resolve(Response.json(problem, { status: 429 }))
      }
    })))
    for (const [name, args] of [["get_price", { coin: "BTC" }], ["ask_analyst", { question: "x" }]] as const) {
      expect(await call(name, args)).toMatchObject({
        isError: true,
        text: expect.stringMatching(/nothing was charged\. Call again in 48 seconds/)
      })
    }
    expect(callCount).toBe(2)
  })

  it("rejects names that would change the request's path", async () => {
    for (const name of ["..", ".", "", "a/b", "__proto__"]) {
      const called = over({}).call(name, {}, new AbortController().signal)
      await expect(called).rejects.toMatchObject({ rejectionCode: "unknown_tool" })
    }
  })
})

it("does not print arguments that may contain the key", () => {
  const env = { TAPELINE_URL: "http://service.example", TAPELINE_API_KEY: "tl_live_x" }
  for (const args of [["tl_live_secret"], ["--http", "tl_live_secret"], ["--key=tl_live_secret"]]) {
    expect(() => readOptions(args, env)).toThrow(expect.objectContaining({
      message: expect.not.stringContaining("secret")
    }))
  }
})
