import { assert, describe, it } from "@effect/vitest"
import { generateTypes } from "@tapeline/document/generateTypes"
import { Effect } from "effect"
import { execFile } from "node:child_process"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join, resolve } from "node:path"
import { pathToFileURL } from "node:url"
import { vi } from "vitest"
import { startServer } from "./support/process.ts"
import { callAdminApi, sendRequest, testSettings } from "./support/service.ts"
import { makePglite } from "./support/testDatabases.ts"

const root = resolve(import.meta.dirname, "../../..")
const tsc = createRequire(join(root, "package.json")).resolve("typescript/package.json").replace(
  "package.json",
  "bin/tsc"
)

/** The program on the page docs/http.md, exactly as a reader copies it. */
const program = /^import createClient[^]*?(?=^```$)/m.exec(readFileSync(join(root, "docs/http.md"), "utf8"))![0]

const configuration = {
  compilerOptions: {
    target: "ES2024",
    module: "NodeNext",
    strict: true,
    noEmit: true,
    allowImportingTsExtensions: true,
    types: ["node"]
  },
  files: ["program.ts", "wrong.ts"]
}

/** A folder in the repository, so that programs in it can import the repository's packages. */
const folder = Effect.acquireRelease(
  Effect.sync(() => {
    const distFolder = resolve(import.meta.dirname, "../dist")
    mkdirSync(distFolder, { recursive: true })
    return mkdtempSync(join(distFolder, "generated-"))
  }),
  (dir) => Effect.sync(() => rmSync(dir, { recursive: true, force: true }))
)

const compile = (dir: string) =>
  Effect.promise(() =>
    new Promise<ReadonlyArray<string>>((settle) =>
      execFile(
        process.execPath,
        [tsc, "-p", dir, "--pretty", "false"],
        (_, stdout) => settle(stdout.split("\n").filter((line) => /^\S/.test(line)))
      )
    )
  )

describe("A client that openapi-typescript generates from the document", () => {
  it.live(
    "compiles, and calls tools, the analyst and the account's records; a wrong argument does not compile",
    () =>
      Effect.gen(function*() {
        const database = yield* makePglite()
        const server = yield* startServer({ ...testSettings, ...database.environment })
        const account: { readonly id: number } = yield* callAdminApi(server, "POST", "/accounts", {
          name: "test",
          plan: "pro"
        })
        const { key } = yield* callAdminApi(server, "POST", `/accounts/${account.id}/keys`, {
          name: "generated",
          scopes: ["read:market", "read:personal", "write:personal", "agent:chat"]
        })
        const { body } = yield* sendRequest(server, "GET", "/v1/openapi.json")
        const dir = yield* folder
        writeFileSync(join(dir, "tapeline.ts"), yield* Effect.promise(() => generateTypes(body)))
        writeFileSync(join(dir, "tsconfig.json"), JSON.stringify(configuration))
        writeFileSync(join(dir, "program.ts"), program)
        writeFileSync(join(dir, "wrong.ts"), program.replaceAll(`coin: "BTC"`, "coin: 1"))
        const errors = yield* compile(dir)
        assert.isNotEmpty(errors)
        for (const error of errors) assert.match(error, /^(.*\/)?wrong\.ts\b.* TS2322: /)

        const output: Array<string> = []
        vi.stubEnv("TAPELINE_URL", server.address)
        vi.stubEnv("TAPELINE_API_KEY", key)
        vi.spyOn(console, "log").mockImplementation((line: string) => void output.push(line))
        yield* Effect.promise(() => import(/* @vite-ignore */ pathToFileURL(join(dir, "program.ts")).href))
        vi.restoreAllMocks()
        vi.unstubAllEnvs()
        assert.deepStrictEqual(output, [
          "BTC has a price, 1 credit",
          "wrong: coin",
          "finished, 2 messages",
          "1 position",
          "0 notifications"
        ])
      }),
    180_000
  )
})
