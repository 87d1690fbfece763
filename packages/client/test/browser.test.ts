import { endPart, ScriptedModel, textPart, waitForever } from "@tapeline/testing/agent/ScriptedModel"
import { createContext, runInContext } from "node:vm"
import { gzipSync } from "node:zlib"
import { rolldown } from "rolldown"
import { expect, it } from "vitest"
import { DisconnectingProxy } from "./support/DisconnectingProxy.ts"
import { startService } from "./support/service.ts"

/**
 * Bundles an entry of the package as pages do. Returns the minified script and the names of the modules in the script.
 */
const bundleOf = async (entry: string, use: string) => {
  const start = "\0start"
  await using bundle = await rolldown({
    input: start,
    platform: "browser",
    cwd: import.meta.dirname,
    // Imports of Node's modules stay in the bundled script, so that the test can find them.
    external: /^node:/,
    plugins: [{
      name: "start",
      resolveId: (id) => id === start ? id : null,
      load: (id) => id === start ? `import * as tapeline from "${entry}"\n${use}` : null
    }]
  })
  const { output } = await bundle.generate({ format: "iife", minify: true, name: "page" })
  const chunks = output.filter((file) => file.type === "chunk")
  const modules = chunks.flatMap(({ moduleIds }) => moduleIds).filter((id) => !id.startsWith("\0"))
  return { code: chunks.map(({ code }) => code).join("\n"), imports: chunks.flatMap(({ imports }) => imports), modules }
}

const kilobytes = (text: string) => Buffer.byteLength(text) / 1000
const sizeOf = (text: string) =>
  `${kilobytes(text).toFixed(1)} kB minified, ${(gzipSync(text).length / 1000).toFixed(1)} kB of gzip`

it("the browser bundle contains only the client: no tools, no schemas, no Effect, no Node modules", async () => {
  const { code, imports, modules } = await bundleOf("@tapeline/client", "globalThis.tapeline = tapeline")
  console.log(`a page's client: ${sizeOf(code)}`)
  expect(imports).toEqual([])
  expect(modules.filter((id) => !/\/(packages\/client\/src|node_modules\/eventsource-parser)\//.test(id))).toEqual([])
  expect(kilobytes(code)).toBeLessThan(29)
  const effects = await bundleOf("@tapeline/client/effect", "globalThis.tapeline = tapeline.makeClient")
  console.log(`the same as effects: ${sizeOf(effects.code)}`)
  expect(effects.imports).toEqual([])
  expect(effects.modules.filter((id) => /packages\/(?!client\/)/.test(id))).toEqual([])
  expect(kilobytes(effects.code)).toBeLessThan(80)
})

/**
 * The globals of a browser page, which include no global of Node: no `process`, `Buffer`, `require` and `setImmediate`.
 */
const page = () => ({
  AbortController,
  AbortSignal,
  clearTimeout,
  crypto,
  fetch,
  Headers,
  performance,
  Response,
  setTimeout,
  TextDecoder,
  TextEncoder,
  URL,
  URLSearchParams
})

const program = `
globalThis.run = async (url, key) => {
  const client = tapeline.createClient({ url, key })
  const { data } = await client.tools.test_price({ coin: "BTC" })
  const failed = await client.tools.test_price({ coin: "NONE" }).catch((error) => error._tag)
  const answer = client.agent.stream({ message: "why?" })
  let events = 0
  for await (const event of answer) events++
  const left = client.agent.stream({ message: "hang" })
  for await (const event of left) if (left.text !== "") break
  const { cancelled } = await client.agent.cancel(left.conversation_id)
  return JSON.stringify({ price: data.price, failed, text: answer.text, isRead: events > 2, cancelled })
}`

it("the browser bundle runs with only the globals of a page", async () => {
  const model = new ScriptedModel(({ brief: { question } }) =>
    question === "hang" ? [textPart("I begin"), waitForever] : [textPart("다 말했다 🚀"), endPart]
  )
  const service = await startService(model.layer)
  const { port, stop } = await service.listen()
  const proxy = await DisconnectingProxy.start()
  proxy.port = port
  try {
    const { key } = await service.createAccount()
    const { code } = await bundleOf("@tapeline/client", program)
    const context = createContext(page())
    runInContext(code, context)
    // The cast is safe because the bundled program defines the function `run`.
    const run = runInContext("run", context) as (url: string, key: string) => Promise<string>
    expect(JSON.parse(await run(proxy.url, key))).toEqual({
      price: 100_000,
      failed: "CallFailed",
      text: "다 말했다 🚀",
      isRead: true,
      cancelled: true
    })
  } finally {
    await proxy.close()
    await stop()
    await service.dispose()
  }
})
