import { assert, describe, it } from "@effect/vitest"
import type { ModelPart, ModelTurn, RequestedCall } from "@tapeline/core/agent"
import type { OpenAiModelOptions } from "@tapeline/openai"
import type { FakeReply, FakeRequestRecord, FakeResponseStep } from "@tapeline/testing/fakeModel"
import { Effect } from "effect"
import { readFileSync } from "node:fs"
import { Agent } from "undici"
import { collectParts, makeFakeModel, summarizeParts } from "./support/fakeModel.ts"

/** The response of one server, in the folder `transcripts`, and the required content of the next request. */
interface Variant {
  readonly name: string
  readonly options?: Partial<OpenAiModelOptions>
  /** Whether the base URL has the host name of OpenAI. */
  readonly isOpenAi?: boolean
  readonly text?: string
  readonly reasoning?: string
  readonly calls?: ReadonlyArray<readonly [name: string, args: string]>
  readonly usage: readonly [input: number, cached: number, output: number, reasoning: number]
  /** The fields of the first request that differ between servers. */
  readonly request: Readonly<Record<string, unknown>>
  /** The messages or items that the next request contains between the question and the results. */
  readonly returned: ReadonlyArray<unknown>
  readonly lastReason?: "Stop" | "Length"
}

const callBoth = [["get_price", "{\"coin\":\"BTC\"}"], ["get_funding", "{\"coin\":\"ETH\"}"]] as const

const toToolCalls = (calls: Variant["calls"] = callBoth) =>
  calls.map(([name, args], i) => ({
    type: "function",
    id: `call0000${i + 1}`,
    function: { name, arguments: JSON.stringify(JSON.parse(args)) }
  }))

const assistant = (fields: object = {}) => ({ role: "assistant", content: null, tool_calls: toToolCalls(), ...fields })

const limit = { max_tokens: 1_000 }

const variants: ReadonlyArray<Variant> = [
  {
    name: "openai-chat",
    options: { model: "gpt-4.1", api: "chat" },
    isOpenAi: true,
    usage: [14_210, 13_824, 41, 0],
    request: { max_completion_tokens: 1_000 },
    returned: [assistant()]
  },
  {
    name: "openai-responses",
    options: { model: "gpt-6.1-terra", reasoningEffort: "low" },
    isOpenAi: true,
    text: "I check both.",
    reasoning: "**Checking both**",
    usage: [14_100, 13_900, 220, 128],
    request: { store: false, max_output_tokens: 1_000, reasoning: { effort: "low", summary: "auto" } },
    returned: [
      {
        type: "reasoning",
        id: "rs_01",
        summary: [{ type: "summary_text", text: "**Checking both**" }],
        encrypted_content: "gAAAAABo-enc-1"
      },
      { role: "assistant", content: "I check both.", phase: "commentary" },
      { type: "function_call", call_id: "call00001", name: "get_price", arguments: "{\"coin\":\"BTC\"}" },
      { type: "reasoning", id: "rs_02", summary: [], encrypted_content: "gAAAAABo-enc-2" },
      { type: "function_call", call_id: "call00002", name: "get_funding", arguments: "{\"coin\":\"ETH\"}" }
    ]
  },
  {
    name: "anthropic",
    options: { model: "claude-sonnet-5-5" },
    text: "I look it up.",
    calls: [["get_price", "{\"coin\": \"BTC\"}"], ["get_funding", "{\"coin\":\"ETH\"}"]],
    usage: [15_020, 0, 96, 0],
    request: limit,
    returned: [assistant({ content: "I look it up." })]
  },
  {
    name: "gemini",
    options: { model: "gemini-3.8-flash", reasoningEffort: "low" },
    usage: [13_950, 12_288, 346, 0],
    request: { ...limit, reasoning_effort: "low" },
    returned: [assistant({
      tool_calls: toToolCalls().map((call, i) =>
        i === 0 ? { ...call, extra_content: { google: { thought_signature: "CoQBAdHtim8wc2lnMQ==" } } } : call
      )
    })]
  },
  {
    name: "ollama",
    options: { model: "qwen3:32b" },
    reasoning: "Two lookups.",
    usage: [12_400, 0, 75, 0],
    request: limit,
    returned: [assistant({ reasoning: "Two lookups." })]
  },
  {
    name: "vllm",
    options: { model: "Qwen/Qwen3-32B" },
    reasoning: "Two lookups.",
    calls: [["get_price", "{\"coin\": \"BTC\"}"], ["get_funding", "{\"coin\":\"ETH\"}"]],
    usage: [12_310, 12_288, 82, 0],
    request: limit,
    returned: [assistant({ reasoning: "Two lookups." })]
  },
  {
    name: "llama-cpp",
    options: { model: "gpt-oss-20b" },
    reasoning: "Two lookups.",
    usage: [12_240, 12_200, 60, 0],
    request: limit,
    returned: [assistant({ reasoning_content: "Two lookups." })]
  },
  {
    name: "lm-studio",
    options: { model: "openai/gpt-oss-20b" },
    reasoning: "Two lookups.",
    usage: [12_100, 0, 64, 20],
    request: limit,
    returned: [assistant({ reasoning: "Two lookups." })]
  },
  {
    name: "deepseek",
    options: { model: "deepseek-v4-pro", readsImages: false },
    reasoning: "Two lookups.",
    usage: [13_200, 13_056, 90, 30],
    request: limit,
    returned: [assistant({ reasoning_content: "Two lookups." })]
  },
  {
    // The server rejects a request whose calls have no `reasoning_content`, even if the text was empty.
    name: "deepseek-empty-reasoning",
    options: { model: "deepseek-v4-pro", readsImages: false },
    calls: [["get_price", "{\"coin\":\"BTC\"}"]],
    usage: [13_200, 0, 22, 0],
    request: limit,
    returned: [assistant({ reasoning_content: "", tool_calls: toToolCalls(callBoth.slice(0, 1)) })],
    lastReason: "Length"
  },
  {
    name: "openrouter",
    options: { model: "google/gemini-3.8-flash" },
    reasoning: "Two lookups.",
    usage: [13_900, 12_288, 150, 96],
    request: limit,
    returned: [assistant({
      reasoning_details: [
        { type: "reasoning.text", text: "Two lookups.", format: "google-gemini-v1", index: 0 },
        {
          type: "reasoning.encrypted",
          data: "CoQBAdHtim8wc2lnMQ==",
          id: "call00001",
          format: "google-gemini-v1",
          index: 1
        }
      ]
    })]
  }
]

const readTranscript = (name: string): ReadonlyArray<Buffer> =>
  readFileSync(new URL(`transcripts/${name}.sse`, import.meta.url), "utf8")
    .split(": next response\n\n").map((response) => Buffer.from(response))

/** Sends bytes in packets of at most `size` bytes. */
const toReply = (bytes: Buffer, size: number): FakeReply => {
  const packets: Array<FakeResponseStep> = []
  for (let at = 0; at < bytes.length; at += size) packets.push({ raw: bytes.subarray(at, at + size) })
  return { acts: [...packets, "end"] }
}

const question: ModelTurn = { _tag: "User", text: "What is the price of BTC?", images: [] }
const context = "<context>\nIt is noon.\n</context>"

/** Returns the turns of a step as the engine makes them from the step's parts. */
const toStepTurns = (parts: ReadonlyArray<ModelPart>): ReadonlyArray<ModelTurn> => {
  const { calls, end, text } = summarizeParts(parts)
  const requestedCalls: ReadonlyArray<RequestedCall> = calls.map(([name, args], i) => ({
    callId: `1.${i + 1}`,
    name,
    arguments: args
  }))
  return [
    {
      _tag: "Assistant",
      text,
      calls: requestedCalls,
      providerState: end?._tag === "End" ? end.providerState : undefined
    },
    ...requestedCalls.map(({ callId, name }): ModelTurn => ({ _tag: "Result", callId, name, ok: true, text: "{}" }))
  ]
}

/** Resolves each host name to the loopback interface. */
const makeLocalDispatcher = (options: Agent.Options) =>
  new Agent({
    ...options,
    connect: { lookup: (_, _options, done) => done(null, [{ address: "127.0.0.1", family: 4 }]) }
  })

const locate = ({ baseUrl }: { readonly baseUrl: string }, { isOpenAi }: Variant) =>
  isOpenAi === true ? { baseUrl: baseUrl.replace("127.0.0.1", "api.openai.com") } : { baseUrl }

const readSent = ({ body }: FakeRequestRecord): ReadonlyArray<unknown> => {
  const sent = body?.["messages"] ?? body?.["input"]
  return Array.isArray(sent) ? sent : []
}

describe.each(variants)("a recorded transcript of $name", (variant) => {
  const [answer, lastAnswer] = readTranscript(variant.name)
  const options = { makeDispatcher: makeLocalDispatcher, ...variant.options }

  it.effect("is read in any packets, and its state is returned with the results of its calls", () =>
    Effect.gen(function*() {
      const server = yield* makeFakeModel([toReply(answer!, 1e6), toReply(lastAnswer!, 1e6), toReply(answer!, 61)])
      const place = locate(server, variant)
      const parts = yield* collectParts(place, { turns: [question], context }, options)
      const { calls, end, reasoning, text } = summarizeParts(parts)
      assert.strictEqual(text, variant.text ?? "")
      assert.strictEqual(reasoning, variant.reasoning ?? "")
      assert.deepStrictEqual(calls, variant.calls ?? callBoth)
      const [inputTokens, cachedTokens, outputTokens, reasoningTokens] = variant.usage
      assert.deepInclude(end, { reason: "Calls", usage: { inputTokens, cachedTokens, outputTokens, reasoningTokens } })

      const turns = [question, ...toStepTurns(parts)]
      const last = summarizeParts(yield* collectParts(place, { turns, context, step: 2 }, options))
      assert.strictEqual(last.text, "BTC is 67,412 USD.")
      assert.deepInclude(last.end, { reason: variant.lastReason ?? "Stop" })
      assert.notProperty(last.end, "providerState")

      const [first, second] = server.log()
      assert.deepInclude(first!.body, { model: variant.options?.model, stream: true, ...variant.request })
      // The next request begins with the messages of the first one, so that the provider's cache contains them.
      const sent = readSent(first!)
      const sentAgain = readSent(second!)
      assert.deepStrictEqual(sentAgain.slice(0, sent.length), sent)
      assert.include(JSON.stringify(sent.at(-1)), "It is noon.")
      assert.deepStrictEqual(sentAgain.slice(sent.length, -calls.length), variant.returned)
      assert.match(JSON.stringify(sentAgain.at(-1)), /"(tool_call_id|call_id)":"call0000[12]"/u)
      assert.deepStrictEqual(second!.body?.["tools"], first!.body?.["tools"])

      const again = yield* collectParts(place, { turns: [question], context }, options)
      assert.deepStrictEqual({ ...summarizeParts(again) }, { ...summarizeParts(parts) })
    }))

  it.effect("is returned without its state to another model", () =>
    Effect.gen(function*() {
      const server = yield* makeFakeModel([toReply(answer!, 1e6), toReply(lastAnswer!, 1e6)])
      const place = locate(server, variant)
      const parts = yield* collectParts(place, { turns: [question] }, options)
      const otherOptions = { ...options, model: "another-model" }
      yield* collectParts(place, { turns: [question, ...toStepTurns(parts)], step: 2 }, otherOptions)
      const sent = JSON.stringify(readSent(server.log()[1]!))
      assert.notMatch(sent, /reasoning|extra_content|encrypted/u)
      assert.include(sent, "get_price")
    }))
})

describe("the reasoning details of OpenRouter", () => {
  it.effect("do not cut an answer because each piece repeats their other fields", () =>
    Effect.gen(function*() {
      const toEvent = (delta: object, reason: string | null = null): FakeResponseStep => ({
        raw: `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: reason }] })}\n\n`
      })
      const detail = { type: "reasoning.text", text: " a", signature: null, format: "anthropic-claude-v1", index: 0 }
      const pieces = Array.from({ length: 900 }, () => toEvent({ reasoning: " a", reasoning_details: [detail] }))
      const signature = { ...detail, text: null, signature: "c2ln" }
      const call = { index: 0, id: "toolu_1", function: { name: "get_price", arguments: "{}" } }
      const server = yield* makeFakeModel([
        { acts: [...pieces, toEvent({ reasoning_details: [signature], tool_calls: [call] }, "tool_calls"), "end"] },
        { acts: [{ text: "A" }] }
      ])
      const options = { model: "anthropic/claude-sonnet-5-5" }
      const parts = yield* collectParts(server, { turns: [question], maxOutputTokens: 1_000 }, options)
      assert.deepInclude(summarizeParts(parts).end, { reason: "Calls" })
      yield* collectParts(server, { turns: [question, ...toStepTurns(parts)], step: 2 }, options)
      assert.deepInclude(readSent(server.log()[1]!).at(-2), {
        reasoning_details: [{ ...detail, text: " a".repeat(900), signature: "c2ln" }]
      })
    }))
})

describe("the items of the Responses API", () => {
  const call = { type: "function_call", call_id: "c", name: "get_price", arguments: "{}" }
  it.effect.each([
    { name: "a message", items: [{ type: "message", phase: "x".repeat(40_000) }, call] },
    { name: "a whole call", items: [{ ...call, arguments: JSON.stringify({ coin: "x".repeat(40_000) }) }] }
  ])("cut the answer if $name exceeds the limit of the output", ({ items }) =>
    Effect.gen(function*() {
      const events = [
        ...items.map((item, i) => ({ type: "response.output_item.done", output_index: i, item })),
        { type: "response.completed", response: { output: [] } }
      ]
      const raw = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("")
      const server = yield* makeFakeModel([{ acts: [{ raw }, "end"] }])
      const parts = yield* collectParts(server, { maxOutputTokens: 1_000 }, { api: "responses" })
      assert.deepInclude(summarizeParts(parts).end, { reason: "Length" })
    }))
})

describe("the prompt cache of OpenAI", () => {
  const systemPrompt = "You are a market analyst."
  const breakpoint = { prompt_cache_breakpoint: { mode: "explicit" } }
  const send = Effect.fnUntraced(function*(options: Partial<OpenAiModelOptions>, purpose: "answer" | "suggest") {
    const server = yield* makeFakeModel([{ acts: [{ text: "A" }] }])
    const baseUrl = server.baseUrl.replace("127.0.0.1", "api.openai.com")
    yield* collectParts({ baseUrl }, { purpose }, { makeDispatcher: makeLocalDispatcher, ...options })
    return server.log()[0]!
  })

  it.effect("gets a breakpoint after the constant prompt, only for models that know breakpoints", () =>
    Effect.gen(function*() {
      for (const model of ["gpt-5.6-sol", "gpt-6-luna", "gpt-6.1-terra"]) {
        const request = yield* send({ model }, "answer")
        assert.strictEqual(request.path, "/v1/responses")
        assert.deepStrictEqual(readSent(request)[0], {
          role: "developer",
          content: [{ type: "input_text", text: systemPrompt, ...breakpoint }]
        })
        const chat = yield* send({ model, api: "chat" }, "answer")
        assert.deepStrictEqual(readSent(chat)[0], {
          role: "system",
          content: [{ type: "text", text: systemPrompt, ...breakpoint }]
        })
        assert.notInclude(JSON.stringify((yield* send({ model }, "suggest")).body), "prompt_cache")
      }
      for (const model of ["gpt-5.5", "gpt-4.1", "gpt-oss-120b", "o3"]) {
        const { body } = yield* send({ model }, "answer")
        assert.deepInclude(body, { instructions: systemPrompt })
        assert.notInclude(JSON.stringify(body), "prompt_cache")
      }
    }))

  it.effect("uses little reasoning for suggestions, also if the model reasons by default", () =>
    Effect.gen(function*() {
      const readEffort = ({ body }: FakeRequestRecord) => JSON.stringify(body?.["reasoning"])
      assert.include(readEffort(yield* send({ model: "gpt-6.1-terra" }, "suggest")), "low")
      assert.include(readEffort(yield* send({ model: "gpt-6.1-terra", reasoningEffort: "max" }, "answer")), "max")
      assert.include(readEffort(yield* send({ model: "gpt-6.1-terra", reasoningEffort: "none" }, "suggest")), "none")
      assert.isUndefined(readEffort(yield* send({ model: "gpt-4.1" }, "suggest")))
    }))
})
