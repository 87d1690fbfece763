import { assert, describe, it } from "@effect/vitest"
import { ignorePaths } from "@tapeline/document/validateResponses"
import { Effect } from "effect"
import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { Webhook } from "standardwebhooks"
import { startServer } from "./support/process.ts"
import { adminToken, pollUntil, testSettings } from "./support/service.ts"
import { makePglite } from "./support/testDatabases.ts"
import { startReceiver } from "./support/webhookReceiver.ts"

// The test process itself sends the requests to the receivers.
ignorePaths("/hook")

const cli = fileURLToPath(new URL("../src/cli.ts", import.meta.url))

/** Runs `tapeline webhooks`, and returns the printed JSON, or the printed text. */
const runCli = (address: string, ...args: ReadonlyArray<string>) =>
  Effect.promise(async () => {
    const environment = { ...process.env, TAPELINE_URL: address, TAPELINE_ADMIN_TOKEN: adminToken }
    const run = promisify(execFile)(process.execPath, [cli, "webhooks", "--json", ...args], { env: environment })
    const { stdout } = await run.catch((error: { readonly stderr: string }) => ({ stdout: error.stderr }))
    return stdout.startsWith("{") ? JSON.parse(stdout) : stdout
  })

describe("tapeline webhooks", () => {
  it.live(
    "creates, tests, changes, rotates, retries and deletes a webhook on an embedded database",
    () =>
      Effect.gen(function*() {
        const { environment } = yield* makePglite()
        const receiver = yield* startReceiver
        const { address } = yield* startServer({
          ...testSettings,
          ...environment,
          TAPELINE_WEBHOOK_ALLOW_PRIVATE: "127.0.0.1"
        })
        const created = yield* runCli(address, "create", "--url", receiver.url, "--types", "key.issued, key.revoked")
        assert.deepInclude(created, { id: 1, types: ["key.issued", "key.revoked"], description: null })
        const rejected = yield* runCli(address, "create", "--url", "https://10.0.0.1/")
        assert.include(rejected, "400: url: This address belongs to a private or reserved network")
        yield* runCli(address, "test", "1")
        const [message] = yield* pollUntil(
          "the test",
          Effect.sync(() => receiver.messages),
          ({ length }) => length === 1
        )
        assert.deepInclude(new Webhook(created.secret).verify(message!.body, message!.headers), {
          type: "webhook.test"
        })
        const { deliveries } = yield* pollUntil(
          "the delivery",
          runCli(address, "deliveries", "1"),
          ({ deliveries: [delivery] }) => delivery?.state === "delivered"
        )
        assert.deepInclude(deliveries[0], { type: "webhook.test", attempts: 1, last_status: 204 })
        const rotated = yield* runCli(address, "rotate", "1", "--overlap-hours", "0")
        yield* runCli(address, "retry", "1", String(deliveries[0].event))
        const [, again] = yield* pollUntil(
          "the retry",
          Effect.sync(() => receiver.messages),
          ({ length }) => length === 2
        )
        new Webhook(rotated.secret).verify(again!.body, again!.headers)
        assert.strictEqual(again!.headers["webhook-id"], message!.headers["webhook-id"])
        const updated = yield* runCli(
          address,
          "update",
          "1",
          "--types=all",
          "--description=d",
          "--status=disabled",
          "--url=https://b.example/"
        )
        assert.deepInclude(updated, { types: null, description: "d", status: "disabled", url: "https://b.example/" })
        assert.deepStrictEqual((yield* runCli(address, "list")).webhooks, [updated])
        assert.strictEqual(yield* runCli(address, "delete", "1"), "done\n")
        assert.deepStrictEqual((yield* runCli(address, "list")).webhooks, [])
      }),
    240_000
  )
})
