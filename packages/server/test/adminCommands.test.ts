import { assert, describe, it } from "@effect/vitest"
import { ignorePaths } from "@tapeline/document/validateResponses"
import { Effect } from "effect"
import { once } from "node:events"
import { existsSync } from "node:fs"
import { createServer } from "node:http"
import { join } from "node:path"
import { formatResponse } from "../src/adminCommands/formatResponse.ts"
import { type CommandOutput, runCli } from "./support/cli.ts"
import { startServer, temporaryFolder } from "./support/process.ts"
import { adminToken, sendRequest, testSettings } from "./support/service.ts"
import { makeShared } from "./support/sharedFixture.ts"
import { migratedPostgres } from "./support/testDatabases.ts"

// The test's own server and not Tapeline sends the response.
ignorePaths("/admin/v1/accounts/2/export")

const linesOf = ({ stdout }: CommandOutput) => stdout.trimEnd().split("\n")

/** Returns the value of a line `name: value`. */
const valueOf = (output: CommandOutput, name: string) =>
  linesOf(output).find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2)

describe("formatResponse", () => {
  it("shows an empty list of allowed addresses as `any`", () => {
    const key = { id: 1, allowed_ips: [], scopes: [] }
    assert.strictEqual(formatResponse(key), "id: 1\nallowed_ips: any\nscopes: none")
    assert.strictEqual(formatResponse({ keys: [key] }), "id  allowed_ips  scopes\n1   any          -")
    assert.strictEqual(formatResponse({ after: { allowed_ips: [] } }), "after: allowed_ips=any")
  })
})

/** A server whose exports end without their last line. */
const truncatingServer = Effect.acquireRelease(
  Effect.promise(async () => {
    const server = createServer((_, response) => {
      response.writeHead(200, { "content-type": "application/jsonl" })
      response.end("{\"kind\":\"archive\"}\n{\"kind\":\"account\"}\n")
    })
    await once(server.listen(0, "127.0.0.1"), "listening")
    const address = server.address()
    assert.isObject(address)
    return { server, address: `http://127.0.0.1:${Object(address).port}` }
  }),
  ({ server }) => Effect.sync(() => server.close())
)

describe("the command line of the admin API", () => {
  const servers = makeShared(
    Effect.flatMap(migratedPostgres, ({ environment }) => startServer({ ...testSettings, ...environment }))
  )

  it.live("removes the file of an export that has no last line", () =>
    Effect.gen(function*() {
      const path = join(yield* temporaryFolder, "export.jsonl")
      const { code, stderr } = yield* runCli(yield* truncatingServer)("accounts", "export", "2", "--output", path)
      assert.strictEqual(code, 1)
      assert.match(stderr, /incomplete/)
      assert.isFalse(existsSync(path))
    }))

  it.live("names the rejected argument, the token and the address of a failed command", () =>
    Effect.gen(function*() {
      const server = yield* servers
      const run = runCli(server, adminToken)
      const errorOf = (output: CommandOutput) => output.stderr.trimEnd().split("\n").at(-1)!.trim()
      assert.match(errorOf(yield* run("usage", "--group-by", "acount")), /^group_by: Expected .*account, month, day/)
      assert.strictEqual(
        errorOf(yield* run("usage", "--from", "2026-11-20", "--to", "2026-11-10")),
        "400: to: Expected a day that is not before `from`."
      )
      assert.match(
        errorOf(yield* run("keys", "issue", "1", "--name", "x", "--scopes", "read:market", "--ips", "localhost")),
        /^allowed_ips\.0: Expected an IP address/
      )
      assert.match(
        errorOf(yield* run("keys", "issue", "1", "--name", "x", "--scopes", "read:markt")),
        /Expected: scopes separated by commas: read:market/
      )
      assert.match(errorOf(yield* runCli(server, "tl_admin_wrong")("tokens", "list")), /TAPELINE_ADMIN_TOKEN/)
      const withoutScheme = { ...server, address: server.address.replace("http://", "") }
      assert.match(errorOf(yield* runCli(withoutScheme, adminToken)("tokens", "list")), /must begin with http/)
    }))

  it.live("grants, refunds, corrects and lists credits, and lists the calls of an account", () =>
    Effect.gen(function*() {
      const server = yield* servers
      const run = runCli(server, adminToken)
      const created = yield* run("accounts", "create", "--name", "김 \u202ered", "--plan", "pro")
      assert.strictEqual(valueOf(created, "name"), "김 \\u{202e}red")
      const id = valueOf(created, "id")!
      const key = valueOf(yield* run("keys", "issue", id, "--name", "laptop", "--scopes", "read:market"), "key")!
      const called = yield* sendRequest(server, "POST", "/v1/tools/get_price", { key, body: { coin: "BTC" } })
      const call = called.headers.get("tapeline-call-id")!

      const [head, line, ...others] = linesOf(yield* run("calls", "list", id))
      assert.match(head!, /^call_id +time +operation +credits +state +actor +refund$/)
      assert.match(line!, new RegExp(`^${call} +\\S+ +get_price +1 +settled +key \\d+ +-$`))
      assert.deepStrictEqual(others, [])

      const grant = ["credits", "grant", id, "--amount", "500", "--months", "2", "--reason", "An outage"]
      const granted = yield* run(...grant, "--reference", "ticket 7", "--idempotency-key", "grant-1")
      assert.deepStrictEqual(
        yield* run(...grant, "--reference", "ticket 7", "--idempotency-key", "grant-1"),
        granted
      )
      assert.match(linesOf(granted)[1]!, /^\d+ +\d{4}-\d{2} +grant +500 +- +ticket 7 +An outage +\S+Z$/)
      assert.strictEqual(valueOf(granted, "credits"), "allotted=60000 adjusted=500 used=1 reserved=0 left=60499")

      const refund = ["credits", "refund", id, call, "--reason", "Wrong price"]
      const exceeding = yield* run(...refund, "--amount", "2")
      assert.deepStrictEqual([exceeding.code, exceeding.stdout], [1, ""])
      assert.include(exceeding.stderr, "was charged 1")
      const refunded = JSON.parse((yield* run(...refund, "--json")).stdout)
      assert.deepInclude(refunded.adjustments[0], { kind: "refund", amount: 1, call_id: call })
      assert.include((yield* run(...refund)).stderr, `already refunded by adjustment ${refunded.adjustments[0].id}`)
      assert.match(linesOf(yield* run("calls", "list", id))[1]!, /adjustment=\d+ amount=1$/)

      const correct = ["credits", "correct", id, "--amount=-70000", "--reason", "Fraud"]
      assert.include((yield* run(...correct)).stderr, "allow_negative")
      assert.include(valueOf(yield* run(...correct, "--allow-negative"), "credits"), "left=0")

      const listed = linesOf(yield* run("credits", "list", id, "--limit", "3"))
      assert.strictEqual(listed.length, 7)
      assert.match(listed[0]!, /^id +month +kind +amount +call_id +reference +reason +created_at$/)
      assert.match(listed[6]!, /^next_cursor: \d+$/)
      const { adjustments } = JSON.parse((yield* run("credits", "list", id, "--json")).stdout)
      assert.deepStrictEqual(adjustments.map(({ amount }: { readonly amount: number }) => amount), [
        500,
        500,
        1,
        -70_000
      ])
      const events = JSON.parse((yield* run("events", "--account", id, "--type", "credits.adjusted", "--json")).stdout)
      assert.strictEqual(events.events.length, 3)
    }))

  it.live("prints tables of the other lists, `none` for empty lists, and JSON with --json", () =>
    Effect.gen(function*() {
      const server = yield* servers
      const run = runCli(server, adminToken)
      const token = yield* run("tokens", "create", "--name", "reports", "--scopes", "read")
      const secret = valueOf(token, "token")!
      assert.match(secret, /^tl_admin_/)
      const tokens = yield* run("tokens", "list")
      assert.match(linesOf(tokens)[1]!, /^\d+ +reports +read +admin +- +- +-$/)
      assert.notInclude(tokens.stdout, secret)
      const read = runCli(server, secret)
      const id = valueOf(yield* run("accounts", "create", "--name", "acme", "--plan", "pro"), "id")!
      assert.match(valueOf(yield* run("keys", "issue", id, "--name", "k", "--scopes", "read:us"), "key")!, /^tl_live_/)
      assert.strictEqual((yield* read("answers", "list", id)).stdout, "answers: none\n")
      assert.strictEqual((yield* read("tasks", "list", id)).stdout, "tasks: none\n")
      assert.match(linesOf(yield* read("accounts", "list"))[0]!, /^id +name +plan +external_id +status +created_at$/)
      assert.match(
        linesOf(yield* read("keys", "list", id))[0]!,
        /^id +name +prefix +scopes +credits_used +monthly_credits/
      )
      assert.match(linesOf(yield* read("events"))[0]!, /^id +time +type +actor +account +target +after$/)
      assert.strictEqual(valueOf(yield* read("usage"), "final"), "false")
      assert.deepStrictEqual(JSON.parse((yield* read("usage", "--account", id, "--json")).stdout), {
        lines: [],
        final: false,
        next_cursor: null
      })
      const denied = yield* read("credits", "grant", id, "--amount", "5", "--reason", "x")
      assert.deepStrictEqual([denied.code, denied.stdout], [1, ""])
      assert.include(denied.stderr, "`write`")
      assert.strictEqual((yield* run("tokens", "revoke", valueOf(token, "id")!)).stdout, "done\n")
    }))
})

describe("formatResponse", () => {
  it("aligns columns, also next to characters that are two columns wide", () => {
    assert.strictEqual(
      formatResponse({ items: [{ id: 1, name: "김" }, { id: 10, name: "abc" }], next_cursor: 10 }, ["name", "id"]),
      "name  id\n김    1\nabc   10\nnext_cursor: 10"
    )
  })

  it("escapes characters that control a terminal or break a line", () => {
    assert.strictEqual(
      formatResponse({ name: "a\u001b]0;x\u0007b\nc\u202ed\u2028e" }),
      "name: a\\u{1b}]0;x\\u{7}b\\nc\\u{202e}d\\u{2028}e"
    )
  })

  it("prints nested values in one line, and missing values as a dash", () => {
    assert.strictEqual(
      formatResponse({ a: null, b: ["x", "y"], c: { d: 1, e: null }, f: {}, g: [], h: "", i: false }),
      "a: -\nb: x,y\nc: d=1 e=-\nf: -\ng: none\nh: -\ni: false"
    )
  })
})
