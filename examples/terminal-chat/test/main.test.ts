import { NodeHttpServer } from "@effect/platform-node"
import type { AnswerEvent } from "@tapeline/client"
import { layerAgent, layerEngine, layerFibreRunner, Toolbox } from "@tapeline/core"
import { AdminToken, Draining, layerRoutes, makeNodeServer, Readiness, serve } from "@tapeline/http"
import { createKeyedAccount, MemoryStores } from "@tapeline/testing"
import { endPart, ScriptedModel, textPart, waitForever } from "@tapeline/testing/agent/ScriptedModel"
import { Effect, Layer, ManagedRuntime, Redacted } from "effect"
import { HttpServer } from "effect/http"
import { spawn } from "node:child_process"
import { join } from "node:path"
import { expect, it } from "vitest"
import { Page } from "../src/Page.ts"

const model = new ScriptedModel(({ brief: { question } }) =>
  question.includes("long") ? [textPart("It begins"), waitForever] : [textPart(`You asked: ${question}`), endPart]
)

const service = serve(layerRoutes({ corsOrigins: [] })).pipe(
  Layer.provideMerge(NodeHttpServer.layer(makeNodeServer, { host: "127.0.0.1", port: 0 })),
  Layer.provide([
    Layer.succeed(AdminToken, Redacted.make("an-administration-token")),
    Layer.succeed(Readiness, { check: Effect.void }),
    Draining.layer
  ]),
  Layer.provide(Layer.provide(layerAgent({ runner: layerFibreRunner }), model.layer)),
  Layer.provideMerge(layerEngine({ toolbox: Toolbox.layer([]) })),
  Layer.provideMerge(MemoryStores)
)

const chatting = (url: string, key: string) => {
  const env = { PATH: process.env["PATH"], TAPELINE_URL: url, TAPELINE_API_KEY: key }
  const child = spawn(process.execPath, [join(import.meta.dirname, "../src/main.ts")], { env })
  let shownText = ""
  let notifyOutput = () => {}
  for (const output of [child.stdout, child.stderr]) {
    output.setEncoding("utf8").on("data", (text: string) => {
      shownText += text
      notifyOutput()
    })
  }
  const exitCode = new Promise<number | null>((resolve) => child.once("close", resolve))
  return {
    child,
    exitCode,
    getOutput: () => shownText,
    type: (line: string) => void child.stdin.write(`${line}\n`),
    until: (text: string) =>
      new Promise<void>((resolve, reject) => {
        notifyOutput = () => {
          if (shownText.includes(text)) resolve()
        }
        void exitCode.then(() => reject(new Error(`it ended, and had shown:\n${shownText}`)))
        notifyOutput()
      })
  }
}

const serving = async () => {
  const runtime = ManagedRuntime.make(service)
  const served = await runtime.runPromise(Effect.gen(function*() {
    const { address } = yield* HttpServer.HttpServer
    return { url: HttpServer.formatAddress(address), key: (yield* createKeyedAccount()).key }
  }))
  return { ...served, runtime }
}

it("answers every line of an input that ends immediately", async () => {
  const { key, runtime, url } = await serving()
  const { child, exitCode, getOutput, type } = chatting(url, key)
  try {
    type("first?")
    type("/new")
    type("second?")
    child.stdin.end()
    expect(await exitCode).toBe(0)
    expect(getOutput()).toContain("You asked: first?\n")
    expect(getOutput()).toContain("You asked: second?\n")
  } finally {
    child.kill("SIGKILL")
    await runtime.dispose()
  }
}, 60_000)

it("answers each line, cancels an answer on Ctrl-C, and prints errors", async () => {
  const { key, runtime, url } = await serving()
  const { child, exitCode, getOutput, type, until } = chatting(url, key)
  try {
    type("what is it?")
    await until("You asked: what is it?\n")
    await until("[finished: 20 credits, 59980 left]")
    type("something long")
    await until("It begins")
    child.kill("SIGINT")
    await until("[cancelled: 20 credits, 59960 left]")
    type("/new")
    type("x".repeat(40_000))
    await until("message: ")
    child.stdin.end()
    expect(await exitCode).toBe(0)
    expect(getOutput()).toContain("> And ETH?")
  } finally {
    child.kill("SIGKILL")
    await runtime.dispose()
  }
}, 60_000)

it("continues on a new line after an event shortens the answer", () => {
  let output = ""
  const page = new Page((text) => {
    output += text
  })
  const delta = (offset: number, text: string, n: number): AnswerEvent => ({
    kind: "delta",
    data: { offset, text },
    id: `1-${n}`,
    n
  })
  for (const event of [delta(0, "one ", 1), delta(4, "two", 2), delta(4, "three", 3)]) page.show(event)
  expect(output).toBe("one two\n[again] hree")
})
