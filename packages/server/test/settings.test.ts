import { assert, describe, it } from "@effect/vitest"
import { AnswerBounds } from "@tapeline/core/agent"
import { readSettings } from "@tapeline/server"
import { Effect } from "effect"
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { layerAnswerBounds } from "../src/models.ts"

const errorMessageOf = (environment: Readonly<Record<string, string>>) =>
  Effect.map(Effect.flip(readSettings(environment)), ({ message }) => message)

const provider = {
  TAPELINE_PUBLIC_URL: "https://tapeline.example",
  TAPELINE_OPENID_ISSUER: "https://id.example",
  TAPELINE_OPENID_CLIENT_ID: "tapeline",
  TAPELINE_OPENID_PLAN: "free"
}

describe("Settings", () => {
  it.effect("reject an unknown variable with the TAPELINE_ prefix, and suggest the nearest name", () =>
    Effect.gen(function*() {
      const message = yield* errorMessageOf({ TAPELINE_DATADIR: "secret-value", TAPELINE_PLAN: "{}", PORT: "x" })
      assert.include(message, "TAPELINE_DATADIR: there is no such variable; the nearest name is TAPELINE_DATA_DIR")
      assert.include(message, "nearest name is TAPELINE_PLANS")
      assert.include(message, "PORT")
      assert.notInclude(message, "secret-value")
      assert.include(yield* errorMessageOf({ TAPELINE_ADMIN_TOKE: "x" }), "TAPELINE_ADMIN_TOKEN")
      assert.include(yield* errorMessageOf({ TAPELINE_PROT: "80" }), "nearest name is PORT.")
      assert.include(yield* errorMessageOf({ TAPELINE_PROXY: "1" }), "nearest name is TAPELINE_PROXIES.")
      // Only names similar to a known name are reported, because other programs also use the variables of a provider.
      const openAi = yield* errorMessageOf({
        OPENAI_API_KEY: "sk-secret",
        OPENAI_READS_IMAGE: "false",
        OPENAI_MODLE: "x"
      })
      assert.include(openAi, "OPENAI_READS_IMAGE: there is no such variable; the nearest name is OPENAI_READS_IMAGES")
      assert.include(openAi, "nearest name is OPENAI_MODEL")
      for (const name of ["ORG_ID", "PROJECT_ID", "WEBHOOK_SECRET", "CUSTOM_HEADERS", "LOG", "ADMIN_KEY"]) {
        yield* readSettings({ [`OPENAI_${name}`]: "x" })
      }
    }))

  it.effect("ignore empty variables, the command line's variables, and those that an orchestrator sets", () =>
    Effect.gen(function*() {
      const settings = yield* readSettings({
        TAPELINE_DATADIR: "",
        TAPELINE_URL: "http://127.0.0.1:1",
        TAPELINE_PORT: "tcp://10.0.0.1:80",
        TAPELINE_ADMIN_PORT: "tcp://10.0.0.1:80",
        TAPELINE_SERVICE_HOST: "10.0.0.1",
        TAPELINE_SERVICE_PORT_HTTP: "80",
        TAPELINE_DB_PORT_5432_TCP_ADDR: "10.0.0.1",
        TAPELINE_DATA_DIR: ""
      })
      assert.strictEqual(settings.dataDir, "./data")
      assert.isUndefined(settings.adminListener)
      assert.include(yield* errorMessageOf({ TAPELINE_PORT: "8080" }), "nearest name")
    }))

  it.effect("accept a drain of at most ten minutes, and drain for no time by default", () =>
    Effect.gen(function*() {
      assert.strictEqual((yield* readSettings({})).drainMs, 0)
      assert.strictEqual((yield* readSettings({ TAPELINE_DRAIN_MS: "600000" })).drainMs, 600_000)
      for (const invalid of ["-1", "600001", "10s"]) {
        assert.include(yield* errorMessageOf({ TAPELINE_DRAIN_MS: invalid }), "TAPELINE_DRAIN_MS: ")
      }
    }))

  it.effect("accept only a folder with a start page as the documentation site", () =>
    Effect.gen(function*() {
      const folder = mkdtempSync(join(tmpdir(), "tapeline-site-"))
      yield* Effect.addFinalizer(() => Effect.sync(() => rmSync(folder, { recursive: true })))
      for (const path of [folder, join(folder, "none"), join(folder, "\0")]) {
        assert.include(
          yield* errorMessageOf({ TAPELINE_DOCS_SITE: path }),
          "TAPELINE_DOCS_SITE: Expected a folder with a built site, from `npm run docs:site`"
        )
      }
      writeFileSync(join(folder, "page.html"), "<!doctype html>")
      symlinkSync("page.html", join(folder, "index.html"))
      assert.include(yield* errorMessageOf({ TAPELINE_DOCS_SITE: folder }), "TAPELINE_DOCS_SITE")
      rmSync(join(folder, "index.html"))
      writeFileSync(join(folder, "index.html"), "<!doctype html>")
      assert.strictEqual((yield* readSettings({ TAPELINE_DOCS_SITE: folder })).documentationSite, folder)
      assert.isUndefined((yield* readSettings({})).documentationSite)
    }))

  it.effect("accept the configured admin token unless TAPELINE_ADMIN_BOOTSTRAP is off", () =>
    Effect.gen(function*() {
      const readMode = (environment: Readonly<Record<string, string>>) =>
        Effect.map(readSettings(environment), ({ hasBootstrapToken }) => hasBootstrapToken)
      assert.isTrue(yield* readMode({}))
      assert.isTrue(yield* readMode({ TAPELINE_ADMIN_BOOTSTRAP: "on" }))
      assert.isFalse(yield* readMode({ TAPELINE_ADMIN_BOOTSTRAP: "off" }))
      assert.include(
        yield* errorMessageOf({ TAPELINE_ADMIN_BOOTSTRAP: "no" }),
        "TAPELINE_ADMIN_BOOTSTRAP: Expected on or off"
      )
    }))

  it.effect("select OKX's hosts by region, unless a host is configured", () =>
    Effect.gen(function*() {
      const okx = (environment: Readonly<Record<string, string>>) =>
        Effect.map(readSettings({ TAPELINE_MARKET: "live", ...environment }), ({ live }) => live!)
      assert.deepStrictEqual((yield* okx({ TAPELINE_OKX_REGION: "global" })).urls, {})
      const eea = { okx: "https://eea.okx.com", okxStreams: "wss://wseea.okx.com:8443" }
      assert.deepStrictEqual((yield* okx({ TAPELINE_OKX_REGION: "eea" })).urls, eea)
      const us = { okx: "https://us.okx.com", okxStreams: "wss://wsus.okx.com:8443" }
      assert.deepStrictEqual((yield* okx({ TAPELINE_OKX_REGION: "us" })).urls, us)
      const mirror = { TAPELINE_OKX_REGION: "eea", TAPELINE_URL_OKX: "https://mirror.example" }
      assert.deepStrictEqual((yield* okx(mirror)).urls, { ...eea, okx: "https://mirror.example" })
      const mirrorSettings = yield* okx({ ...mirror, TAPELINE_URL_OKX_STREAMS: "wss://mirror.example" })
      assert.match(mirrorSettings.warnings.join(), /^TAPELINE_OKX_REGION has no effect with TAPELINE_URL_OKX and /u)
      const regionError = yield* errorMessageOf({ TAPELINE_MARKET: "live", TAPELINE_OKX_REGION: "eu" })
      assert.include(regionError, "TAPELINE_OKX_REGION: Expected global, eea or us")
    }))

  it.effect("accept live market variables only with a live market, and report what is wrong", () =>
    Effect.gen(function*() {
      const live = (environment: Readonly<Record<string, string>>) => ({ TAPELINE_MARKET: "live", ...environment })
      assert.isUndefined((yield* readSettings({})).live)
      const { live: set } = yield* readSettings(live({
        TAPELINE_COINS: "BTC,ETH,BTC",
        TAPELINE_RETENTION_DAYS: `{"prices":30,"candles":null}`,
        TAPELINE_URL_DERIBIT: "http://127.0.0.1:2/below",
        TAPELINE_URL_BINANCE_STREAMS: "ws://127.0.0.1:1"
      }))
      assert.deepInclude(set, { coinNames: ["BTC", "ETH"], retention: { prices: 30, candles: null } })
      assert.deepStrictEqual(set!.urls, { deribit: "http://127.0.0.1:2/below", binanceStreams: "ws://127.0.0.1:1" })
      assert.deepStrictEqual(set!.warnings, ["TAPELINE_COINS contains BTC more than once; duplicates are ignored"])
      const { live: defaultLive } = yield* readSettings(live({ TAPELINE_COINS: "ETH,SOL" }))
      assert.deepStrictEqual(defaultLive!.coinNames, ["ETH", "SOL", "BTC"])
      assert.deepStrictEqual(defaultLive!.warnings, [
        "TAPELINE_COINS does not contain BTC, which is collected too because the market regime needs it"
      ])
      const url = "http://127.0.0.1:2"
      const { live: idle } = yield* readSettings(live({
        TAPELINE_STOCKS_US: "AAPL",
        TAPELINE_URL_EDGAR: url,
        TAPELINE_URL_ECOS: url,
        TAPELINE_ECOS_KEY: "a-key-of-nobody"
      }))
      assert.deepStrictEqual(idle!.warnings, [
        "TAPELINE_STOCKS_US has no effect without TAPELINE_YAHOO",
        "TAPELINE_URL_EDGAR has no effect without TAPELINE_EDGAR_CONTACT"
      ])
      const { live: replaced } = yield* readSettings(live({ TAPELINE_YAHOO: "personal", TAPELINE_URL_ECB: url }))
      assert.deepStrictEqual(replaced!.warnings, [
        "TAPELINE_URL_ECB has no effect: TAPELINE_YAHOO provides usd_krw"
      ])
      for (
        const [feeds, list] of [["none", ""], [
          "a en https://a.example/rss A Paper",
          "a en https://a.example/rss A Paper"
        ]]
      ) {
        assert.strictEqual((yield* readSettings(live({ TAPELINE_NEWS_FEEDS: feeds! }))).live!.feedList, list)
      }
      assert.include(
        yield* errorMessageOf({ TAPELINE_COINS: "BTC" }),
        "TAPELINE_COINS: requires TAPELINE_MARKET=live; set it, or remove this"
      )
      const invalidSettings: ReadonlyArray<readonly [variable: string, value: string, told: string]> = [
        ["TAPELINE_COINS", "btc secret-value", "such as BTC,ETH"],
        ["TAPELINE_COINS", "BTC,,ETH", "without spaces, such as BTC,ETH"],
        ["TAPELINE_COINS", "BTC,secret-value,ETH", "TAPELINE_COINS: entry 2 of 3 is not a ticker"],
        [
          "TAPELINE_COINS",
          Array.from({ length: 201 }, () => "A").join(),
          "the list has 201 coins; expected at most 200"
        ],
        ["TAPELINE_URL_BYBIT", "http://secret-value:6000", "TAPELINE_URL_BYBIT: `fetch` blocks its port"],
        ["TAPELINE_URL_BYBIT", "http://secret-value:10080/v5", "blocks its port"],
        ["TAPELINE_NEWS_FEEDS", "secret-value", "with a semicolon after each, or none"],
        ["TAPELINE_NEWS_FEEDS", "a en ftp://secret-value/rss A Paper;", "TAPELINE_NEWS_FEEDS"],
        [
          "TAPELINE_RETENTION_DAYS",
          `{"candels":3}`,
          "TAPELINE_RETENTION_DAYS.candels: there is no such kind of series; the nearest name is candles"
        ],
        ["TAPELINE_RETENTION_DAYS", `{"colour":3}`, "there is no such kind of series; the names are candles, "],
        ["TAPELINE_RETENTION_DAYS", `{"candles":0}`, "TAPELINE_RETENTION_DAYS.candles"],
        ["TAPELINE_URL_DERIBIT", "https://user:secret-value@host", "TAPELINE_URL_DERIBIT"],
        ["TAPELINE_URL_BINANCE_STREAMS", "https://secret-value", "a ws or wss address"]
      ]
      for (const [variable, value, expectedMessage] of invalidSettings) {
        const message = yield* errorMessageOf(live({ [variable]: value }))
        assert.include(message, expectedMessage)
        assert.notInclude(message, "secret-value")
      }
    }))

  it.effect("require a port if the admin API's host is set", () =>
    Effect.gen(function*() {
      assert.include(yield* errorMessageOf({ TAPELINE_ADMIN_HOST: "127.0.0.1" }), "TAPELINE_ADMIN_PORT")
      const { adminListener } = yield* readSettings({ TAPELINE_ADMIN_PORT: "8788" })
      assert.deepStrictEqual(adminListener, { host: "127.0.0.1", port: 8788 })
    }))

  it.effect("accept at least one compute thread, and leave the number to the pool by default", () =>
    Effect.gen(function*() {
      assert.isUndefined((yield* readSettings({})).computeThreads)
      assert.strictEqual((yield* readSettings({ TAPELINE_COMPUTE_THREADS: "2" })).computeThreads, 2)
      assert.strictEqual((yield* readSettings({ TAPELINE_SANDBOXES: "3" })).sandboxes, 3)
      for (const invalidThreads of ["0", "-1", "1.5", "257", "all"]) {
        assert.include(yield* errorMessageOf({ TAPELINE_COMPUTE_THREADS: invalidThreads }), "TAPELINE_COMPUTE_THREADS")
      }
    }))

  it.effect("require at least two months of reservations", () =>
    Effect.gen(function*() {
      assert.strictEqual((yield* readSettings({})).keepMonths, 13)
      assert.strictEqual((yield* readSettings({ TAPELINE_KEEP_MONTHS: "2" })).keepMonths, 2)
      assert.strictEqual((yield* readSettings({})).eventDays, 400)
      assert.strictEqual((yield* readSettings({ TAPELINE_EVENT_DAYS: "30" })).eventDays, 30)
      for (const invalidCount of ["1", "0", "-1", "1.5", "1201", "all"]) {
        assert.include(yield* errorMessageOf({ TAPELINE_KEEP_MONTHS: invalidCount }), "TAPELINE_KEEP_MONTHS")
      }
    }))

  it.effect("permit private receivers of webhooks only as configured, and reject an invalid list without its text", () =>
    Effect.gen(function*() {
      const isAllowed = (yield* readSettings({})).isPrivateWebhookAllowed
      assert.isFalse(isAllowed("10.0.0.1", "443"))
      const variable = "TAPELINE_WEBHOOK_ALLOW_PRIVATE"
      const configured = (yield* readSettings({ [variable]: "10.0.0.0/8 hooks.internal" })).isPrivateWebhookAllowed
      assert.deepStrictEqual(
        ["10.0.0.1", "11.0.0.1", "hooks.internal", "a.hooks.internal"].map((host) => configured(host, "443")),
        [true, false, true, true]
      )
      const message = yield* errorMessageOf({ [variable]: "https://hunter2@hooks.internal" })
      assert.include(message, `${variable}: entry 1 of 1 is a URL`)
      assert.notInclude(message, "hunter2")
    }))

  it.effect("select OpenAI's model with a key, the named model with an address, and no model without both", () =>
    Effect.gen(function*() {
      assert.isUndefined((yield* readSettings({})).openAi)
      const hosted = (yield* readSettings({ OPENAI_API_KEY: "sk-secret" })).openAi
      assert.deepInclude(hosted?.model, { model: "gpt-6.1-terra", baseUrl: undefined, prices: undefined })
      assert.isUndefined(hosted?.embeddings)
      assert.notInclude(JSON.stringify(hosted), "sk-secret")
      const local = (yield* readSettings({
        OPENAI_BASE_URL: "http://127.0.0.1:11434/v1",
        OPENAI_MODEL: "qwen3:32b",
        OPENAI_CONTEXT_TOKENS: "32768",
        OPENAI_READS_IMAGES: "false",
        OPENAI_INPUT_USD: "0.5",
        OPENAI_OUTPUT_USD: "2",
        OPENAI_IDLE_TIMEOUT_MS: "5000",
        OPENAI_EMBEDDING_MODEL: "bge-m3",
        OPENAI_EMBEDDING_DIMENSION: "1024"
      })).openAi
      assert.deepInclude(local?.model, {
        model: "qwen3:32b",
        contextTokens: 32_768,
        readsImages: false,
        prices: { inputUsd: 0.5, outputUsd: 2 },
        timeouts: { idleMs: 5_000 }
      })
      assert.deepInclude(local?.embeddings, { model: "bge-m3", dimension: 1_024, timeouts: { idleMs: 5_000 } })
    }))

  it.effect("bound a provider's silence by its own timeout, or else by the timeout of the first byte", () =>
    Effect.gen(function*() {
      const waits = Effect.fnUntraced(function*(environment: Readonly<Record<string, string>>) {
        const settings = yield* readSettings({ OPENAI_API_KEY: "sk-secret", ...environment })
        const { silenceMs } = yield* Effect.provide(AnswerBounds, layerAnswerBounds(settings))
        return { silenceMs, ...settings.openAi?.model.timeouts }
      })
      assert.deepStrictEqual(yield* waits({}), { silenceMs: 120_000 })
      assert.deepStrictEqual(yield* waits({ OPENAI_FIRST_BYTE_TIMEOUT_MS: "4000" }), {
        silenceMs: 4_000,
        firstByteMs: 4_000
      })
      const timeouts = { OPENAI_FIRST_BYTE_TIMEOUT_MS: "4000", OPENAI_SILENCE_TIMEOUT_MS: "10000" }
      assert.deepStrictEqual(yield* waits(timeouts), { silenceMs: 10_000, firstByteMs: 4_000, idleMs: 10_000 })
      assert.deepInclude(yield* waits({ ...timeouts, OPENAI_IDLE_TIMEOUT_MS: "3000" }), { idleMs: 3_000 })
    }))

  it.effect.each(
    [
      [{ OPENAI_MODEL: "x" }, "OPENAI_MODEL", "OPENAI_API_KEY or OPENAI_BASE_URL"],
      [{ OPENAI_BASE_URL: "http://host/v1" }, "OPENAI_MODEL", "must name a model"],
      [{ OPENAI_BASE_URL: "http://me:secret@host/v1" }, "OPENAI_BASE_URL", "password"],
      [{ OPENAI_BASE_URL: "secret" }, "OPENAI_BASE_URL", "not a valid address"],
      [{ OPENAI_API_KEY: "a secret" }, "OPENAI_API_KEY", "without spaces"],
      [{ OPENAI_API: "soap" }, "OPENAI_API", "chat or responses"],
      [{ OPENAI_REASONING_EFFORT: "huge" }, "OPENAI_REASONING_EFFORT", "medium"],
      [{ OPENAI_READS_IMAGES: "yes" }, "OPENAI_READS_IMAGES", "true or false"],
      [{ OPENAI_CONTEXT_TOKENS: "12" }, "OPENAI_CONTEXT_TOKENS", "4000"],
      [{ OPENAI_INPUT_USD: "1" }, "OPENAI_OUTPUT_USD", "both"],
      [{ OPENAI_CACHED_INPUT_USD: "1" }, "OPENAI_CACHED_INPUT_USD", "remove this"],
      [{ OPENAI_INPUT_USD: "-1", OPENAI_OUTPUT_USD: "1" }, "OPENAI_INPUT_USD", "such as 1.25"],
      [{ OPENAI_EMBEDDING_MODEL: "bge-m3" }, "OPENAI_EMBEDDING_DIMENSION", "the number of dimensions"],
      [{ OPENAI_EMBEDDING_DIMENSION: "9" }, "OPENAI_EMBEDDING_DIMENSION", "remove this"]
    ] as const
  )("%j stops the start: %s", ([environment, variable, expectedMessage]) =>
    Effect.gen(function*() {
      const needsOnlyModel = variable === "OPENAI_MODEL" || "OPENAI_API_KEY" in environment ||
        "OPENAI_BASE_URL" in environment
      const message = yield* errorMessageOf({
        ...(needsOnlyModel ? {} : { OPENAI_API_KEY: "sk-secret" }),
        ...environment
      })
      assert.include(message, `${variable}: `)
      assert.include(message, expectedMessage)
      assert.notInclude(message, "secret")
    }))

  it.effect("read an OpenID provider, and derive its addresses from the service's public URL", () =>
    Effect.gen(function*() {
      assert.isUndefined((yield* readSettings({})).openId)
      const { openId } = yield* readSettings({ ...provider, TAPELINE_PUBLIC_URL: "https://tapeline.example/" })
      assert.deepInclude(openId, {
        redirectUri: "https://tapeline.example/v1/account/openid/callback",
        beginsAt: "https://tapeline.example/v1/account/openid",
        admission: { plan: "free", planClaim: undefined }
      })
      assert.deepInclude(openId?.provider, { issuer: "https://id.example", clientId: "tapeline", label: "id.example" })
      const claims = { TAPELINE_OPENID_CLAIM: "groups", TAPELINE_OPENID_CLAIM_PLANS: `{"desk":"pro"}` }
      const byClaim = yield* readSettings({ ...provider, ...claims, TAPELINE_OPENID_PLAN: "" })
      assert.deepStrictEqual(byClaim.openId?.admission, {
        plan: undefined,
        planClaim: { claim: "groups", plans: { desk: "pro" } }
      })
      yield* readSettings({ ...provider, TAPELINE_OPENID_ISSUER: "http://localhost:8080/realms/a" })
    }))

  it.effect.each(
    [
      [{ TAPELINE_OPENID_ISSUER: "http://id.example" }, "TAPELINE_OPENID_ISSUER", "https address"],
      [{ TAPELINE_OPENID_ISSUER: "https://me:hunter2@id.example" }, "TAPELINE_OPENID_ISSUER", "without a user"],
      [{ TAPELINE_OPENID_ISSUER: "hunter2" }, "TAPELINE_OPENID_ISSUER", "https address"],
      [{ TAPELINE_OPENID_ISSUER: "" }, "TAPELINE_OPENID_CLIENT_ID", "requires TAPELINE_OPENID_ISSUER"],
      [{ TAPELINE_OPENID_CLIENT_ID: "" }, "TAPELINE_OPENID_CLIENT_ID", "the client id that the provider has"],
      [{ TAPELINE_OPENID_CLIENT_SECRET: "hunter 2" }, "TAPELINE_OPENID_CLIENT_SECRET", "without a space"],
      [{ TAPELINE_PUBLIC_URL: "" }, "TAPELINE_PUBLIC_URL", "redirects users"],
      [{ TAPELINE_PUBLIC_URL: "http://tapeline.example" }, "TAPELINE_PUBLIC_URL", "https address"],
      [{ TAPELINE_OPENID_SCOPES: "profile" }, "TAPELINE_OPENID_SCOPES", "including openid"],
      [{ TAPELINE_OPENID_LABEL: "x".repeat(41) }, "TAPELINE_OPENID_LABEL", "40 characters"],
      [{ TAPELINE_OPENID_PLAN: "" }, "TAPELINE_OPENID_PLAN", "unless TAPELINE_OPENID_CLAIM"],
      [{ TAPELINE_OPENID_PLAN: "hunter2" }, "TAPELINE_OPENID_PLAN", "the plans are free, lite"],
      [
        { TAPELINE_OPENID_CLAIM: "groups" },
        "TAPELINE_OPENID_CLAIM_PLANS",
        "is required together with TAPELINE_OPENID_CLAIM"
      ],
      [{ TAPELINE_OPENID_CLAIM_PLANS: `{"a":"hunter2"}` }, "TAPELINE_OPENID_CLAIM_PLANS.a", "the plans are free, lite"],
      [{ TAPELINE_OPENID_CLAIM_PLANS: "{" }, "TAPELINE_OPENID_CLAIM_PLANS", ""]
    ] as const
  )(
    "%j of an OpenID provider stops the start: %s",
    ([environment, variable, expectedMessage]) =>
      Effect.gen(function*() {
        const message = yield* errorMessageOf({ ...provider, ...environment })
        assert.include(message, `${variable}: `)
        assert.include(message, expectedMessage)
        assert.notInclude(message, "hunter")
      })
  )

  it.effect("reject a misspelt field of a plan, and suggest the nearest name", () =>
    Effect.gen(function*() {
      const message = yield* errorMessageOf({ TAPELINE_PLANS: `{"pro":{"requests_per_min":3}}` })
      assert.include(message, "TAPELINE_PLANS.pro.requests_per_min")
      assert.include(message, "nearest name is requests_per_minute")
      const far = yield* errorMessageOf({ TAPELINE_PLANS: `{"pro":{"colour":3}}` })
      assert.include(far, "no such setting; the names are monthly_credits, keys, requests_per_minute, answers_per_day")
    }))

  it.effect.each(
    [
      ["requests_per_minute", 2_147_483_647, 2_147_483_648],
      ["keys", 2_147_483_647, 2_147_483_648],
      ["answers_per_day", 2_147_483_647, 2_147_483_648],
      ["monthly_credits", Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER + 1]
    ] as const
  )(
    "limit a plan's numbers to what every store can represent: %s",
    ([field, maximum, tooMany]) =>
      Effect.gen(function*() {
        const settings = yield* readSettings({ TAPELINE_PLANS: JSON.stringify({ pro: { [field]: maximum } }) })
        assert.strictEqual(settings.plans["pro"]?.[field], maximum)
        assert.include(yield* errorMessageOf({ TAPELINE_PLANS: JSON.stringify({ pro: { [field]: tooMany } }) }), field)
        assert.include(yield* errorMessageOf({ TAPELINE_PLANS: JSON.stringify({ pro: { [field]: -1 } }) }), field)
      })
  )
})
