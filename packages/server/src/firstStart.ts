import { signInPath } from "@tapeline/api"
import { Administration, allScopes, KeyStore, Sessions } from "@tapeline/core"
import { Effect, Redacted } from "effect"
import { HttpServer } from "effect/http"
import { resolve } from "node:path"
import { adminTokenFile } from "./adminToken.ts"
import type { Settings } from "./settings.ts"
import { readConsoleFiles } from "./staticFiles.ts"

const curlCommand = (url: string, key: string, body: string): string =>
  `curl -s ${url} -H 'authorization: Bearer ${key}' -H 'content-type: application/json' -d '${body}'`

/** The URL of the server for callers on the same machine. */
export const localAddress = Effect.map(HttpServer.HttpServer, ({ address }) => {
  if (!("port" in address)) return "http://127.0.0.1"
  const text = HttpServer.formatAddress(address)
  return text.replace("0.0.0.0", "127.0.0.1").replace("[::]", "[::1]")
})

/**
 * Creates an account with an API key. Creates a sign-in link too if the server serves the console. Returns the lines of
 * text that show the key and the link.
 */
const firstStartLines = Effect.fnUntraced(function*(address: string, { publicUrl }: Settings, hasConsole: boolean) {
  const administration = yield* Administration
  const account = yield* administration.createAccount({ name: "demo", plan: "pro" })
  const { key } = yield* administration.issueKey({ account: account.id, name: "demo", scopes: allScopes })
  const lines = [
    "",
    `First start: the account "demo" (plan pro) has this key with all scopes. It is shown only once:`,
    "",
    `  ${Redacted.value(key)}`,
    "",
    "Try a tool, and ask the analyst:",
    "",
    `  ${curlCommand(`${address}/v1/tools/get_price`, Redacted.value(key), `{"coin":"BTC"}`)}`,
    "",
    `  ${curlCommand(`${address}/v1/agent/messages`, Redacted.value(key), `{"message":"How is BTC doing?"}`)}`,
    ""
  ]
  if (!hasConsole) return lines
  const { token } = yield* (yield* Sessions).createLink(account.id)
  return [
    ...lines,
    "Sign in to the console with this link. It works once, within 15 minutes:",
    "",
    `  ${publicUrl ?? address}${signInPath}#${Redacted.value(token)}`,
    ""
  ]
})

/**
 * Prints the URLs and folders of the server for the operator. At the first start with an empty embedded database, also
 * prints the API key of a new account.
 */
export const printWelcome = Effect.fnUntraced(function*(settings: Settings) {
  const address = yield* localAddress
  const hasConsole = (yield* readConsoleFiles(settings)) !== undefined
  const pages = hasConsole ? `console: ${address}/app, documentation` : "documentation"
  const lines = [`Tapeline listens on ${address} (${pages}: ${address}/docs)`]
  if (settings.databaseUrl === undefined) {
    lines.push(`Data is stored in ${resolve(settings.dataDir)}.`)
    const store = yield* KeyStore
    if ((yield* store.accounts({ after: 0, limit: 1 })).length === 0) {
      lines.push(...yield* firstStartLines(address, settings, hasConsole))
    }
  }
  if (settings.hasBootstrapToken && settings.adminToken === undefined) {
    lines.push(`The admin token is in ${resolve(adminTokenFile(settings.dataDir))}.`)
  }
  yield* Effect.logDebug(`Tapeline listens on ${address}`)
  yield* Effect.sync(() => process.stdout.write(`${lines.join("\n")}\n`))
}, Effect.scoped)
