import { assert, layer } from "@effect/vitest"
import { maxWebhooks, WebhookStore } from "@tapeline/core"
import { Effect } from "effect"
import { layerTestServer, sendRequest, testAdminToken } from "./testServer.ts"

const log: Array<string> = []

type Options = Omit<NonNullable<Parameters<typeof sendRequest>[2]>, "key">

const sendAdmin = (method: string, path: string, options: Options = {}) =>
  sendRequest(method, `/admin/v1${path}`, { ...options, key: testAdminToken })

const url = "https://example.com/hook?token=receiver-secret"

const create = (body: object = {}, headers: Record<string, string> = {}) =>
  sendAdmin("POST", "/webhooks", { body: { url, ...body }, headers })

const readEvents = (type: string) =>
  Effect.map(sendAdmin("GET", `/events?type=${type}&limit=1000`), ({ body }) => body.events)

layer(layerTestServer(log), { excludeTestServices: true })("webhooks of the admin API", (it) => {
  it.effect("are created with a secret, which no other response, event or log line contains", () =>
    Effect.gen(function*() {
      const created = yield* create({ types: ["account.created"], description: "billing" })
      assert.strictEqual(created.status, 200)
      const { secret, ...webhook } = created.body
      assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
      assert.deepStrictEqual(webhook, {
        id: webhook.id,
        url,
        description: "billing",
        types: ["account.created"],
        status: "enabled",
        disabled_reason: null,
        failing_since: null,
        previous_secret_expires_at: null,
        created_at: webhook.created_at
      })
      const path = `/webhooks/${webhook.id}`
      assert.deepStrictEqual((yield* sendAdmin("GET", path)).body, webhook)
      const list = yield* sendAdmin("GET", `/webhooks?cursor=${webhook.id - 1}&limit=1`)
      assert.deepStrictEqual(list.body.webhooks, [webhook])
      const rotated = yield* sendAdmin("POST", `${path}/rotate`, { body: { overlap_hours: 1 } })
      assert.notStrictEqual(rotated.body.secret, secret)
      const overlapMs = Date.parse(rotated.body.previous_secret_expires_at) - Date.now()
      assert.isTrue(overlapMs > 3_500_000 && overlapMs <= 3_600_000, `${overlapMs}`)
      const events = yield* sendAdmin("GET", "/events?limit=1000")
      for (const text of [list.text, events.text, log.join("\n")]) {
        assert.notInclude(text, secret)
        assert.notInclude(text, rotated.body.secret)
      }
      assert.notInclude(events.text + log.join("\n"), "receiver-secret")
      assert.deepInclude(events.body.events.find(({ type }: { readonly type: string }) => type === "webhook.created"), {
        actor: "admin",
        account: null,
        target: `webhook ${webhook.id}`,
        before: null,
        after: {
          url: "https://example.com/hook",
          description: "billing",
          types: ["account.created"],
          disabled_reason: null
        }
      })
      assert.strictEqual((yield* readEvents("webhook.secret_rotated")).length, 1)
    }))

  it.effect("are changed, disabled and enabled, with an event of each change", () =>
    Effect.gen(function*() {
      const { id } = (yield* create()).body
      const change = (body: object) => sendAdmin("PATCH", `/webhooks/${id}`, { body })
      assert.deepInclude((yield* change({ status: "disabled" })).body, {
        status: "disabled",
        disabled_reason: "operator"
      })
      const rejected = yield* sendAdmin("POST", `/webhooks/${id}/test`)
      assert.deepStrictEqual([rejected.status, rejected.body.code], [409, "webhook_disabled"])
      yield* change({})
      yield* change({ status: "disabled" })
      yield* change({ status: "enabled", types: ["key.issued"], url: `${url}2` })
      const events = (yield* readEvents("webhook.updated")).map((event: Record<string, unknown>) => [
        event["before"],
        event["after"]
      ])
      assert.deepStrictEqual(events, [
        [{ disabled_reason: null }, { disabled_reason: "operator" }],
        [
          { url: "https://example.com/hook", types: null, disabled_reason: "operator" },
          { url: "https://example.com/hook", types: ["key.issued"], disabled_reason: null }
        ]
      ])
    }))

  it.effect("are deleted once, with their deliveries", () =>
    Effect.gen(function*() {
      const { id } = (yield* create()).body
      assert.strictEqual((yield* sendAdmin("DELETE", `/webhooks/${id}`)).status, 204)
      for (
        const [method, path] of [
          ["DELETE", ""],
          ["GET", ""],
          ["GET", "/deliveries"],
          ["POST", "/test"],
          ["POST", "/rotate"],
          ["POST", "/deliveries/1/retry"]
        ] as const
      ) {
        const { body, status } = yield* sendAdmin(method, `/webhooks/${id}${path}`)
        assert.deepStrictEqual([status, body.code], [404, "not_found"], `${method} ${path}`)
      }
      const changed = yield* sendAdmin("PATCH", `/webhooks/${id}`, { body: { description: null } })
      assert.strictEqual(changed.status, 404)
      assert.strictEqual((yield* readEvents("webhook.deleted")).length, 1)
    }))

  it.effect("list deliveries by state and in pages, and retry one", () =>
    Effect.gen(function*() {
      const { id } = (yield* create()).body
      yield* sendAdmin("POST", `/webhooks/${id}/test`)
      yield* sendAdmin("POST", `/webhooks/${id}/test`)
      const store = yield* WebhookStore
      yield* store.enqueue(1_000, null)
      const path = `/webhooks/${id}/deliveries`
      const first = (yield* sendAdmin("GET", `${path}?limit=1&state=waiting`)).body
      assert.strictEqual(first.next_cursor, first.deliveries[0].event)
      const all = (yield* sendAdmin("GET", `${path}?cursor=${first.next_cursor}`)).body
      assert.isNull(all.next_cursor)
      assert.isAtLeast(all.deliveries.length, 1)
      assert.deepStrictEqual((yield* sendAdmin("GET", `${path}?state=failed`)).body.deliveries, [])
      const retry = `${path}/${first.next_cursor}/retry`
      const again = { headers: { "idempotency-key": "retry-1" } }
      const retried = yield* sendAdmin("POST", retry, again)
      assert.deepInclude(retried.body, { event: first.next_cursor, state: "waiting", attempts: 0 })
      assert.deepStrictEqual((yield* sendAdmin("POST", retry, again)).body, retried.body)
      const events = yield* readEvents("webhook.delivery_retried")
      assert.strictEqual(events.length, 1)
      assert.deepInclude(events[0], { target: `webhook ${id}`, after: { event: first.next_cursor } })
      assert.strictEqual((yield* sendAdmin("POST", `${path}/99999999/retry`)).status, 404)
    }))

  it.effect("reject invalid bodies, and return no secret twice for one idempotency key", () =>
    Effect.gen(function*() {
      for (
        const [body, path] of [
          [{ url: "http://example.com" }, "url"],
          [{ url: "" }, "url"],
          [{ url: `https://example.com/${"a".repeat(2_048)}` }, "url"],
          [{ types: [] }, "types"],
          [{ types: ["account.unknown"] }, "types"],
          [{ types: ["key.issued", "key.issued"] }, "types"],
          [{ description: "a\0" }, "description"],
          [{ secret: "whsec_mine" }, "secret"]
        ] as const
      ) {
        const rejected = yield* create(body)
        assert.deepStrictEqual([rejected.status, rejected.body.code], [400, "invalid_arguments"], JSON.stringify(body))
        assert.strictEqual(rejected.body.issues[0].path[0], path)
      }
      const russian = yield* sendAdmin("POST", "/webhooks", {
        body: { url: "http://a.example" },
        headers: { "x-lang": "ru" }
      })
      assert.match(russian.body.issues[0].message, /начинается/)
      const once = { "idempotency-key": "webhook-1" }
      assert.strictEqual((yield* create({}, once)).status, 200)
      const repeated = yield* create({}, once)
      assert.deepStrictEqual([repeated.status, repeated.body.code], [409, "secret_returned"])
    }))

  it.effect("are limited in number", () =>
    Effect.gen(function*() {
      const { webhooks } = (yield* sendAdmin("GET", "/webhooks?limit=1000")).body
      for (let i = webhooks.length; i < maxWebhooks; i++) assert.strictEqual((yield* create()).status, 200)
      const rejected = yield* create()
      assert.deepStrictEqual([rejected.status, rejected.body.code], [409, "webhook_limit"])
      assert.include(rejected.body.detail, String(maxWebhooks))
    }))
})
