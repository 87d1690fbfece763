import { LanguageModel, type ModelRequest } from "@tapeline/core/agent"
import { callableEntries, makeCatalogue } from "@tapeline/core/engine"
import { getPrice } from "@tapeline/core/specifications"
import { languageModelContract } from "@tapeline/testing/contracts/languageModel"
import { Effect, Exit, Layer, Stream } from "effect"
import { createServer } from "node:http"
import { expect, it } from "vitest"
import { ollamaModel } from "../src/ollamaModel.ts"

interface OllamaRequest {
  readonly messages: ReadonlyArray<{ readonly role: string }>
  readonly tools: ReadonlyArray<{ readonly function: { readonly name: string } }>
}

const line = (content: object, rest: object = { done: false }): string =>
  `${JSON.stringify({ message: { role: "assistant", ...content }, ...rest })}\n`
const end = line({ content: "" }, { done: true, done_reason: "stop", prompt_eval_count: 26, eval_count: 9 })

/** A fake Ollama server, which reasons, calls the first tool, and answers when it has a result. */
const layerOllama = (respond: (request: OllamaRequest) => string) =>
  Layer.unwrap(
    Effect.map(
      Effect.acquireRelease(
        Effect.promise(async () => {
          const server = createServer((request, response) => {
            let body = ""
            request.setEncoding("utf8").on("data", (text: string) => body += text).on("end", () => {
              response.end(respond(JSON.parse(body)))
            })
          })
          await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
          return server
        }),
        (server) =>
          Effect.sync(() => {
            server.close()
            server.closeAllConnections()
          })
      ),
      (server) => {
        const address = server.address()
        const port = typeof address === "object" ? address?.port : undefined
        return ollamaModel({ url: `http://127.0.0.1:${port}`, model: "qwen3", contextTokens: 32_768 })
      }
    )
  )

const ollama = layerOllama(({ messages, tools }) => {
  const tool = tools[0]?.function.name
  return tool === undefined || messages.some(({ role }) => role === "tool")
    ? line({ content: "It is " }) + line({ content: "92,000 USD." }) + end
    : line({ thinking: "The price." }) +
      line({ content: "", tool_calls: [{ function: { name: tool, arguments: { coin: "BTC" } } }] }) + end
})

languageModelContract("Ollama's own protocol, by hand", ollama)

const question = "What is the price of BTC?"
const request: ModelRequest = {
  purpose: "answer",
  instructions: "You are a market analyst.",
  context: "",
  turns: [{ _tag: "User", text: question, images: [] }],
  tools: callableEntries(makeCatalogue([getPrice])),
  brief: { lang: "en", mode: "analyst", question, coin: null, facts: {}, earlier: [], images: 0, accepted: null },
  step: 1,
  maxOutputTokens: 1_000
}

const parts = (layer: typeof ollama) =>
  Effect.flatMap(LanguageModel, ({ stream }) => Stream.runCollect(stream(request))).pipe(
    Effect.provide(layer),
    Effect.scoped
  )

it("returns tool calls and token usage", async () => {
  expect((await Effect.runPromise(parts(ollama))).slice(1)).toEqual([
    { _tag: "Call", name: "get_price", arguments: `{"coin":"BTC"}` },
    { _tag: "End", reason: "Calls", usage: { inputTokens: 26, outputTokens: 9, cachedTokens: 0, reasoningTokens: 0 } }
  ])
})

it("fails with ModelUnavailable if the answer has no end or is not JSON", async () => {
  for (const reply of [line({ content: "It is" }), "<html>\n", ""]) {
    const exit = await Effect.runPromise(Effect.exit(parts(layerOllama(() => reply))))
    expect(Exit.isFailure(exit) && String(exit.cause)).toContain("ModelUnavailable")
  }
})
