import { assert, describe, it } from "@effect/vitest"
import { readSettings } from "@tapeline/server"
import { Effect, Redacted } from "effect"
import { existsSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { withAdminClient } from "../src/adminClient.ts"
import { temporaryFolder } from "./support/process.ts"

const problemOf = (environment: Readonly<Record<string, string>>) =>
  Effect.map(Effect.flip(readSettings(environment)), ({ message }) => message)

const database = "postgres://me:secret-value@db.example/tapeline"

describe("A misspelt variable stops the start", () => {
  it.effect.each(
    [
      ["DATABASE_URI", "DATABASE_URL"],
      ["DATBASE_URI", "DATABASE_URL"],
      ["DATABASEURL", "DATABASE_URL"],
      ["DATABASE__URL", "DATABASE_URL"],
      ["database_url", "DATABASE_URL"],
      ["DATABASE_DIRCET_URL", "DATABASE_DIRECT_URL"],
      ["DATABASE_URI_FILE", "DATABASE_URL_FILE"],
      ["POSTGRES_URL", "DATABASE_URL"],
      ["POSTGRESQL_DSN", "DATABASE_URL"],
      ["DB_URL", "DATABASE_URL"],
      ["DATABASE", "DATABASE_URL"],
      ["DATABASE_CONNECTION_URL", "DATABASE_URL"],
      ["POSTGRES_CONNECTION_URL", "DATABASE_URL"],
      ["DATABASE_CONNECTION_STRING", "DATABASE_URL"],
      ["POSTGRES_URL_FILE", "DATABASE_URL_FILE"],
      ["DATABASE_DSN_FILE", "DATABASE_URL_FILE"],
      ["REDIS_ADDR", "REDIS_URL"],
      ["REDIS_DSN", "REDIS_URL"],
      ["OPENAI_URL", "OPENAI_BASE_URL"],
      ["OPENAI_TOKEN", "OPENAI_API_KEY"],
      ["OPENAI_MODEL_NAME", "OPENAI_MODEL"],
      ["OTEL_EXPORTER_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT"],
      ["OTEL_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT"],
      ["REDIS_URI", "REDIS_URL"],
      ["REDDIS_URL", "REDIS_URL"],
      ["OTEL_EXPORTER_OLTP_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT"],
      ["OTEL_EXPORTER_OTLP_ENDPIONT", "OTEL_EXPORTER_OTLP_ENDPOINT"],
      ["OPENAI_APIKEY", "OPENAI_API_KEY"],
      ["OPEN_AI_API_KEY", "OPENAI_API_KEY"],
      ["OPENAI_KEY", "OPENAI_API_KEY"],
      ["OPENAI_API_BASE", "OPENAI_BASE_URL"],
      ["OPENAI_BASE", "OPENAI_BASE_URL"],
      ["OPENAI_ENDPOINT", "OPENAI_BASE_URL"],
      ["OPENAI_URI", "OPENAI_BASE_URL"],
      ["TAPLINE_DATA_DIR", "TAPELINE_DATA_DIR"],
      ["tapeline_data_dir", "TAPELINE_DATA_DIR"],
      ["TAPELINE_PROT", "PORT"],
      ["TAPELINE_HOTS", "HOST"],
      ["TAPLINE_PROT", "PORT"],
      ["TAPELINE_DATABASE_URL", "DATABASE_URL"],
      ["TAPELINE_DB_URL", "DATABASE_URL"],
      ["TAPELINE_OPENAI_KEY", "OPENAI_API_KEY"],
      ["TAPELINE_ULR", "TAPELINE_URL"],
      ["TAPELINE_TOOL_TIMEOUT", "TAPELINE_TOOL_TIMEOUT_MS"],
      ["TAPELINE_TOOL_TIMOUT", "TAPELINE_TOOL_TIMEOUT_MS"],
      ["TAPELINE_SWEEP_EVERY", "TAPELINE_SWEEP_EVERY_MS"],
      ["OPENAI_CONNECT_TIMEOUT", "OPENAI_CONNECT_TIMEOUT_MS"],
      ["OPENAI_IDLE_TIMOUT", "OPENAI_IDLE_TIMEOUT_MS"]
    ] as const
  )("%s: the message names %s, and not the value", ([name, suggestion]) =>
    Effect.gen(function*() {
      const message = yield* problemOf({ [name]: database })
      assert.include(message, `${name}: there is no such variable; the nearest name is ${suggestion}. Rename`)
      assert.include(message, "Rename the variable, or unset it")
      assert.notInclude(message, "secret-value")
    }))

  it.effect.each(
    [
      "postgresql+asyncpg://me:secret-value@db.example/tapeline",
      "postgresql+psycopg2://me:secret-value@db.example/tapeline",
      "jdbc:postgresql://db.example/tapeline?password=secret-value",
      "host=db.example password=secret-value",
      "\"postgres://me:secret-value@db.example/tapeline\""
    ]
  )("POSTGRES_URI=%s: the message names DATABASE_URL, and not the value", (value) =>
    Effect.gen(function*() {
      const message = yield* problemOf({ POSTGRES_URI: value })
      assert.include(message, "POSTGRES_URI: there is no such variable; the nearest name is DATABASE_URL. Rename")
      assert.notInclude(message, "secret-value")
    }))

  it.effect.each(
    [
      "TAPELINE_ANYTHING",
      "TAPELINE_TIMEOUT",
      "TAPELINE_PASSWORD",
      "TAPELINE_KEY",
      "tapeline_mode",
      "TAPELINE_STOCKS_JP"
    ]
  )("%s: the message suggests no name, because no name is similar", (name) =>
    Effect.gen(function*() {
      const message = yield* problemOf({ [name]: "secret-value" })
      assert.include(message, `${name}: there is no such variable. Unset it, or use a name from /`)
      assert.isTrue(existsSync(/use a name from (.+)$/m.exec(message)![1]!), "the page exists")
      assert.notInclude(message, "nearest")
    }))

  it.effect("also when another variable depends on the misspelt one", () =>
    Effect.gen(function*() {
      const message = yield* problemOf({ DATABASE_URI: database, DATABASE_DIRECT_URL: database })
      assert.strictEqual(message.split("\n").length, 2)
      assert.include(message, "DATABASE_URI: ")
    }))
})

describe("Variables of platforms and other programs do not stop the start", () => {
  /**
   * Variables of OpenTelemetry, from https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/
   */
  const telemetry = [
    ..."SDK_DISABLED ENTITIES PROPAGATORS TRACES_SAMPLER TRACES_SAMPLER_ARG LOG_LEVEL SPAN_ATTRIBUTE_COUNT_LIMIT".split(
      " "
    ),
    ..."BSP_SCHEDULE_DELAY BLRP_SCHEDULE_DELAY METRIC_EXPORT_INTERVAL TRACES_EXPORTER METRICS_EXPORTER".split(" "),
    ..."EXPORTER_OTLP_PROTOCOL EXPORTER_OTLP_TIMEOUT EXPORTER_OTLP_COMPRESSION EXPORTER_OTLP_INSECURE".split(" "),
    ..."EXPORTER_OTLP_TRACES_ENDPOINT EXPORTER_OTLP_METRICS_HEADERS EXPORTER_OTLP_CERTIFICATE".split(" "),
    ..."EXPORTER_ZIPKIN_ENDPOINT EXPORTER_PROMETHEUS_PORT CONFIG_FILE EXPERIMENTAL_CONFIG_FILE".split(" "),
    ..."INSTRUMENTATION_HTTP_ENABLED NODE_RESOURCE_DETECTORS NODE_ENABLED_INSTRUMENTATIONS".split(" ")
  ].map((name) => `OTEL_${name}`)

  const platforms = [
    "DATABASE_HOST DATABASE_PORT DATABASE_NAME DATABASE_USER DATABASE_PASSWORD DATABASE_SSL DATABASE_PUBLIC_URL",
    "DATABASE_PRIVATE_URL DATABASE_URL_UNPOOLED DATABASE_CA_CERT DIRECT_URL HEROKU_POSTGRESQL_BLUE_URL PGHOST PGURL",
    "POSTGRES_USER POSTGRES_PASSWORD POSTGRES_PASSWORD_FILE POSTGRES_DB POSTGRES_HOST POSTGRES_PRISMA_URL DB_HOST DB_SSL",
    "REDIS_HOST REDIS_PORT REDIS_TLS_URL REDIS_SSL REDIS_PASSWORD REDISCLOUD_URL OPENAI_ORG_ID OPENAI_PROJECT_ID",
    "OPENAI_LOG OPENAI_ADMIN_KEY OPENAI_TIMEOUT OPENAI_TIMEOUT_MS DB_FILE OPENAI_API_VERSION OPENAI_API_TYPE AZURE_OPENAI_API_KEY HOSTNAME host port no_proxy POST PORTS MONGO_URL"
  ].flatMap((names) => names.split(" "))

  it.effect.each([...telemetry, ...platforms])("%s", (name) => readSettings({ [name]: database }))

  it.effect("a near name next to the right one, and an address of another database", () =>
    Effect.gen(function*() {
      yield* readSettings({ DATABASE_URI: database, DATABASE_URL: database })
      yield* readSettings({ POSTGRES_URL_FILE: "/nowhere", DATABASE_URL: database })
      yield* readSettings({
        OPENAI_API_BASE: "https://a.example/v1",
        OPENAI_BASE_URL: "https://a.example/v1",
        OPENAI_MODEL: "m"
      })
      yield* readSettings({ REDIS_CONNECTION: "tcp" })
      yield* readSettings({ DB_URL: "jdbc:mysql://me:secret-value@db.example/shop", DATABASE_URI: "" })
    }))
})

describe("A secret in a file", () => {
  const folder = temporaryFolder
  const write = (path: string, content: string | Uint8Array) => {
    writeFileSync(path, content)
    return path
  }

  it.effect("is read without the newline at its end, for each secret", () =>
    Effect.gen(function*() {
      const dir = yield* folder
      const token = "a-token-of-the-admin-api"
      const settings = yield* readSettings({
        DATABASE_URL_FILE: write(join(dir, "url"), `${database}\n`),
        DATABASE_DIRECT_URL_FILE: write(join(dir, "direct"), `\ufeff${database}?a=b\r\n`),
        REDIS_URL_FILE: write(join(dir, "redis"), "redis://me:secret-value@redis.example"),
        TAPELINE_ADMIN_TOKEN_FILE: write(join(dir, "token"), `${token}\n\n`),
        OPENAI_API_KEY_FILE: write(join(dir, "openai"), "sk-secret-value\n"),
        OTEL_EXPORTER_OTLP_ENDPOINT: "https://otlp.example",
        OTEL_EXPORTER_OTLP_HEADERS_FILE: write(join(dir, "headers"), "authorization=Bearer%20secret-value\n"),
        TAPELINE_PUBLIC_URL: "https://tapeline.example",
        TAPELINE_OPENID_ISSUER: "https://id.example",
        TAPELINE_OPENID_CLIENT_ID: "tapeline",
        TAPELINE_OPENID_PLAN: "free",
        TAPELINE_OPENID_CLIENT_SECRET_FILE: write(join(dir, "client"), "secret-of-the-client\n"),
        TAPELINE_MARKET: "live",
        TAPELINE_ECOS_KEY_FILE: write(join(dir, "ecos"), "key-of-ecos\n"),
        TAPELINE_OPENDART_KEY_FILE: write(join(dir, "dart"), "key-of-opendart\n")
      })
      const value = (secret: Redacted.Redacted<string> | undefined) => Redacted.value(secret!)
      assert.strictEqual(value(settings.databaseUrl), database)
      assert.strictEqual(value(settings.databaseDirectUrl), `${database}?a=b`)
      assert.strictEqual(value(settings.redisUrl), "redis://me:secret-value@redis.example")
      assert.strictEqual(value(settings.adminToken), token)
      assert.strictEqual(value(settings.openAi!.model.apiKey), "sk-secret-value")
      assert.deepStrictEqual(Redacted.value(settings.telemetry!.headers), { authorization: "Bearer secret-value" })
      assert.strictEqual(value(settings.openId!.provider.clientSecret), "secret-of-the-client")
      assert.deepInclude(settings.live!.keys, { ecos: "key-of-ecos", openDart: "key-of-opendart" })
    }))

  it.effect("stops the start if the file is unusable, and the message contains the path and not the content", () =>
    Effect.gen(function*() {
      const dir = yield* folder
      mkdirSync(join(dir, "file-folder"))
      const unusable: ReadonlyArray<readonly [path: string, reason: string]> = [
        [join(dir, "file-missing"), "cannot be read (ENOENT)"],
        [join(dir, "file-folder"), "is not a regular file"],
        ["/dev/zero", "is not a regular file"],
        [write(join(dir, "file-empty"), "\r\n\n"), "is empty"],
        [
          write(join(dir, "file-two"), `${database}\nsecret-value\n`),
          "contains a control character or more than one line"
        ],
        [write(join(dir, "file-nul"), "sk-secret\0value"), "contains a control character or more than one line"],
        [write(join(dir, "file-latin"), Uint8Array.of(0x73, 0xff)), "is not UTF-8 text"],
        [write(join(dir, "file-huge"), "x".repeat(70_000)), "is larger than 65536 bytes"]
      ]
      for (const [path, reason] of unusable) {
        const message = yield* problemOf({ DATABASE_URL_FILE: path })
        assert.include(message, `DATABASE_URL_FILE: the file "${path}" ${reason};`)
        for (const part of ["secret-value", "sk-secret", "xxx"]) assert.notInclude(message, part)
      }
      // The variable contains the secret itself, although it must contain the path of a file.
      for (const secret of [database, "sk-secret-value", "/secret-value", "/secret/value+=", "secret-".repeat(1_000)]) {
        const message = yield* problemOf({ DATABASE_URL_FILE: secret })
        assert.match(message, /DATABASE_URL_FILE: the file cannot be read \(E[A-Z]+\);/)
        assert.notInclude(message, "secret-")
        assert.notInclude(message, "/secret")
      }
    }))

  it.effect("stops the start if its value is wrong, and the message contains the variable of the file and its path", () =>
    Effect.gen(function*() {
      const path = join(yield* folder, "secret file")
      const invalidSettings: ReadonlyArray<readonly [variable: string, value: string, reason: string]> = [
        ["DATABASE_URL", "mysql://hunter2", "Expected an address with one host, such as postgres://"],
        ["DATABASE_DIRECT_URL", database, "requires DATABASE_URL"],
        ["REDIS_URL", "hunter2", "Expected an address such as redis://"],
        ["TAPELINE_ADMIN_TOKEN", "hunter2", "at least 16 printable ASCII characters"],
        ["TAPELINE_ECOS_KEY", "hunter2-key", "requires TAPELINE_MARKET=live"],
        ["TAPELINE_OPENDART_KEY", "hunter2", "the key of the source"],
        ["TAPELINE_OPENID_CLIENT_SECRET", "hunter2", "requires TAPELINE_OPENID_ISSUER"],
        ["OPENAI_API_KEY", "hunter2 hunter2", "without spaces"],
        ["OTEL_EXPORTER_OTLP_HEADERS", "hunter2", "entry 1 of 1 has no `=`"]
      ]
      for (const [variable, value, reason] of invalidSettings) {
        write(path, value)
        const endpoint = "https://otlp.example"
        const message = yield* problemOf({ [`${variable}_FILE`]: path, OTEL_EXPORTER_OTLP_ENDPOINT: endpoint })
        assert.include(message, `\n  ${variable}_FILE: `)
        assert.notInclude(message, `\n  ${variable}: `)
        assert.include(message, reason)
        assert.include(message, `(file "${path}")`)
        assert.notInclude(message, "hunter2")
      }
    }))

  it.effect("stops the start if the secret is set twice", () =>
    Effect.gen(function*() {
      const path = write(join(yield* folder, "url"), database)
      const message = yield* problemOf({ DATABASE_URL: database, DATABASE_URL_FILE: path })
      assert.include(message, "DATABASE_URL_FILE: DATABASE_URL is set too; unset one of the two")
      yield* readSettings({ DATABASE_URL: "", DATABASE_URL_FILE: path })
      yield* readSettings({ DATABASE_URL: database, DATABASE_URL_FILE: "" })
    }))

  it.live("is the admin token of the command line", () =>
    Effect.gen(function*() {
      const path = write(join(yield* folder, "token"), "a-token-of-the-admin-api\n")
      const use = (environment: Readonly<Record<string, string>>) =>
        Effect.flip(withAdminClient(environment, (client) => client.accounts({ query: {} })))
      const address = "http://127.0.0.1:1"
      const sent = yield* use({ TAPELINE_ADMIN_TOKEN_FILE: path, TAPELINE_URL: address })
      assert.include(sent.message, `No Tapeline server responds at ${address}`)
      const exitWithBothSettings = yield* use({
        TAPELINE_ADMIN_TOKEN_FILE: path,
        TAPELINE_ADMIN_TOKEN: "b",
        TAPELINE_URL: address
      })
      assert.include(exitWithBothSettings.message, "TAPELINE_ADMIN_TOKEN_FILE: TAPELINE_ADMIN_TOKEN is set too")
    }))
})

describe("Telemetry", () => {
  const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: "https://otlp.example/base/" }
  const telemetryOf = (environment: Readonly<Record<string, string>>) =>
    Effect.map(readSettings(environment), ({ telemetry }) => telemetry)

  it.effect("has the headers, the service's name and the attributes of OpenTelemetry's variables", () =>
    Effect.gen(function*() {
      // A platform may set OpenTelemetry variables for all processes, so unused variables are not checked.
      const unused = {
        OTEL_EXPORTER_OTLP_HEADERS_FILE: "/nowhere",
        OTEL_RESOURCE_ATTRIBUTES: "%",
        OTEL_SERVICE_NAME: "a"
      }
      assert.isUndefined(yield* telemetryOf(unused))
      const telemetry = yield* telemetryOf(endpoint)
      assert.deepInclude(telemetry, { endpoint: "https://otlp.example/base", serviceName: "tapeline", attributes: {} })
      assert.deepStrictEqual(Redacted.value(telemetry!.headers), {})
      const withHeaders = yield* telemetryOf({
        ...endpoint,
        OTEL_EXPORTER_OTLP_HEADERS: "Authorization=Bearer secret-value==, x-empty=,,x-plus=a+b%2Cc",
        OTEL_RESOURCE_ATTRIBUTES: "service.name=named,service.instance.id=eu-1,%D0%BA=%D0%B4"
      })
      assert.deepStrictEqual(Redacted.value(withHeaders!.headers), {
        Authorization: "Bearer secret-value==",
        "x-empty": "",
        "x-plus": "a+b,c"
      })
      assert.deepInclude(withHeaders, { serviceName: "named", attributes: { "service.instance.id": "eu-1", к: "д" } })
      assert.notInclude(JSON.stringify(withHeaders), "secret-value")
      const named = yield* telemetryOf({
        ...endpoint,
        OTEL_SERVICE_NAME: "a",
        OTEL_RESOURCE_ATTRIBUTES: "service.name=b"
      })
      assert.strictEqual(named?.serviceName, "a")
    }))

  it.effect.each(
    [
      ["OTEL_EXPORTER_OTLP_HEADERS", "a=b,secret-value", "entry 2 of 2 has no `=`"],
      ["OTEL_EXPORTER_OTLP_HEADERS", "x-key=100%secret-value", "entry 1 of 1 is not percent-encoded"],
      ["OTEL_EXPORTER_OTLP_HEADERS", "x key=secret-value", "has no valid header name"],
      ["OTEL_EXPORTER_OTLP_HEADERS", "=secret-value", "has no valid header name"],
      ["OTEL_EXPORTER_OTLP_HEADERS", "x-key=secret-value%0D%0Ax-other: 1", "characters that a header cannot contain"],
      ["OTEL_RESOURCE_ATTRIBUTES", "=secret-value", "entry 1 of 1 has no name"],
      ["OTEL_RESOURCE_ATTRIBUTES", "%zz=secret-value", "entry 1 of 1 is not percent-encoded"],
      ["OTEL_EXPORTER_OTLP_ENDPOINT", "secret-value", "an http or https address"],
      ["OTEL_EXPORTER_OTLP_ENDPOINT", "grpc://secret-value", "the scheme is not http or https"],
      ["OTEL_EXPORTER_OTLP_ENDPOINT", "https://me:secret-value@otlp.example", "set OTEL_EXPORTER_OTLP_HEADERS"],
      ["OTEL_EXPORTER_OTLP_ENDPOINT", "https://secret-value@otlp.example/base", "set OTEL_EXPORTER_OTLP_HEADERS"],
      ["OTEL_EXPORTER_OTLP_ENDPOINT", "https://:secret-value@otlp.example", "set OTEL_EXPORTER_OTLP_HEADERS"],
      ["OTEL_EXPORTER_OTLP_ENDPOINT", "https://otlp.example/?token=secret-value", "OTEL_EXPORTER_OTLP_HEADERS"],
      ["OTEL_EXPORTER_OTLP_ENDPOINT", "http://secret-value:4318?", "a query or a fragment"],
      ["OTEL_EXPORTER_OTLP_ENDPOINT", "http://secret-value:4318/#", "a query or a fragment"],
      ["OTEL_EXPORTER_OTLP_ENDPOINT", "http://secret-value:4318/?#", "a query or a fragment"]
    ] as const
  )("%s=%s stops the start: %s", ([variable, value, reason]) =>
    Effect.gen(function*() {
      const message = yield* problemOf({ ...endpoint, [variable]: value })
      assert.include(message, `${variable}: `)
      assert.include(message, reason)
      assert.notInclude(message, "secret-value")
    }))
})
