import {
  defaultBackupDays,
  defaultEventRetentionDays,
  defaultPlans,
  minRetentionMonths,
  Plan,
  type PlanTable
} from "@tapeline/core"
import { defaultNodeServerSettings } from "@tapeline/http"
import { defaultSeed } from "@tapeline/market-sim"
import { Effect, Redacted, Result, Schema, SchemaGetter, SchemaIssue } from "effect"
import { lstatSync } from "node:fs"
import { join } from "node:path"
import { isValidToken, tokenRequirement } from "./adminToken.ts"
import { definedVariables, isServiceLinkVariable, suggestName, unknownVariables } from "./environment.ts"
import {
  findLiveProblems,
  type LiveMarketSettings,
  liveSettingsOf,
  liveVariables,
  unknownKindMessage
} from "./market/liveSettings.ts"
import { type OpenAiSettings, openAiSettingsOf, openAiVariables } from "./openAiSettings.ts"
import { type OpenIdSettings, openIdSettingsOf, openIdVariables } from "./openIdSettings.ts"
import { type HostPredicate, parseNoProxy } from "./proxy/noProxy.ts"
import {
  isUnusedProxyVariable,
  type OutboundProxySettings,
  parseableBy,
  proxySettingsOf,
  proxyVariables
} from "./proxy/proxySettings.ts"
import { fileVariable, secretVariables, withSecretFiles } from "./secretFiles.ts"
import { integerVariable, millisecondsVariable } from "./settingSchemas.ts"
import { type TelemetrySettings, telemetrySettingsOf, telemetryVariables } from "./telemetrySettings.ts"

const urlWithProtocol = (protocols: ReadonlyArray<string>, expected: string) =>
  Schema.String.check(
    Schema.makeFilter((text) => URL.canParse(text) && protocols.includes(new URL(text).protocol), { expected })
  )

const postgresUrl = urlWithProtocol(
  ["postgres:", "postgresql:"],
  "an address with one host, such as postgres://user:password@host:5432/database"
)

/**
 * Accepts a public URL of the service without a password, a query and a fragment. Every caller sees the public URL, and
 * the server appends paths to the URL.
 */
const publicUrlSchema = Schema.String.check(
  Schema.makeFilter(
    (text) => {
      if (!URL.canParse(text)) return false
      const { hash, password, protocol, search, username } = new URL(text)
      return ["http:", "https:"].includes(protocol) && [hash, password, search, username].every((part) => part === "")
    },
    { expected: "an http or https address without a user, a password, a query or a fragment" }
  )
)

const corsOriginsSchema = Schema.String.pipe(
  Schema.decodeTo(
    Schema.Array(Schema.String.check(
      Schema.makeFilter((text) => text === "*" || (URL.canParse(text) && new URL(text).origin === text), {
        expected: "origins such as https://app.example.com, separated by commas"
      })
    )),
    {
      decode: SchemaGetter.transform((text: string) =>
        text.split(",").map((part) => part.trim()).filter((part) => part !== "")
      ),
      encode: SchemaGetter.transform((list: ReadonlyArray<string>) => list.join(","))
    }
  )
)

const plansSchema = Schema.fromJsonString(
  Schema.Record(
    Schema.String.check(Schema.isPattern(/^[a-z][a-z0-9_-]{0,31}$/u, { expected: "a plan's name in lower case" })),
    Schema.Struct({
      monthly_credits: Schema.optionalKey(Plan.fields.monthly_credits),
      keys: Schema.optionalKey(Plan.fields.keys),
      requests_per_minute: Schema.optionalKey(Plan.fields.requests_per_minute),
      answers_per_day: Schema.optionalKey(Plan.fields.answers_per_day)
    })
  )
)

const adminTokenSchema = Schema.String.check(Schema.makeFilter(isValidToken, { expected: tokenRequirement }))

/** The maximum of `TAPELINE_DRAIN_MS`, ten minutes. */
const maxDrainMs = 600_000

/** Returns whether a folder has a start page that the server serves. The server skips symbolic links. */
const hasStartPage = (folder: string): boolean => {
  try {
    return lstatSync(join(folder, "index.html")).isFile()
  } catch {
    return false
  }
}

const documentationSiteSchema = Schema.String.check(
  Schema.makeFilter(hasStartPage, {
    expected: "a folder with a built site, from `npm run docs:site`"
  })
)

const Environment = Schema.Struct({
  HOST: Schema.optionalKey(Schema.NonEmptyString),
  PORT: Schema.optionalKey(integerVariable(0, 65_535, "a port from 0 to 65535")),
  TAPELINE_ADMIN_HOST: Schema.optionalKey(Schema.NonEmptyString),
  TAPELINE_ADMIN_PORT: Schema.optionalKey(integerVariable(0, 65_535, "a port from 0 to 65535")),
  TAPELINE_KEEP_ALIVE_MS: Schema.optionalKey(millisecondsVariable(1000)),
  TAPELINE_DRAIN_MS: Schema.optionalKey(integerVariable(0, maxDrainMs, `milliseconds, from 0 to ${maxDrainMs}`)),
  TAPELINE_DATA_DIR: Schema.optionalKey(Schema.NonEmptyString),
  TAPELINE_PUBLIC_URL: Schema.optionalKey(publicUrlSchema),
  TAPELINE_PROXIES: Schema.optionalKey(integerVariable(0, 16, "a number of proxies from 0 to 16")),
  TAPELINE_CORS_ORIGINS: Schema.optionalKey(corsOriginsSchema),
  TAPELINE_CONSOLE: Schema.optionalKey(Schema.Literals(["on", "off"]).annotate({ expected: "on or off" })),
  TAPELINE_DOCS_SITE: Schema.optionalKey(documentationSiteSchema),
  DATABASE_URL: Schema.optionalKey(postgresUrl),
  DATABASE_DIRECT_URL: Schema.optionalKey(postgresUrl),
  TAPELINE_ADMIN_TOKEN: Schema.optionalKey(adminTokenSchema),
  TAPELINE_ADMIN_BOOTSTRAP: Schema.optionalKey(Schema.Literals(["on", "off"]).annotate({ expected: "on or off" })),
  TAPELINE_MARKET: Schema.optionalKey(Schema.Literals(["sim", "live"]).annotate({ expected: "sim or live" })),
  TAPELINE_SIM_SEED: Schema.optionalKey(integerVariable(0, 4_294_967_295, "an integer from 0 to 4294967295")),
  TAPELINE_PLANS: Schema.optionalKey(plansSchema),
  TAPELINE_LOG_LEVEL: Schema.optionalKey(Schema.Literals(["Debug", "Info", "Warn", "Error"])),
  TAPELINE_TOOL_TIMEOUT_MS: Schema.optionalKey(millisecondsVariable(100)),
  TAPELINE_RESERVATION_GRACE_MS: Schema.optionalKey(millisecondsVariable(0)),
  TAPELINE_SWEEP_EVERY_MS: Schema.optionalKey(millisecondsVariable(10)),
  TAPELINE_COMPUTE_THREADS: Schema.optionalKey(integerVariable(1, 256, "a number of threads from 1 to 256")),
  TAPELINE_SANDBOXES: Schema.optionalKey(integerVariable(1, 64, "a number of sandboxes from 1 to 64")),
  TAPELINE_KEEP_MONTHS: Schema.optionalKey(
    integerVariable(minRetentionMonths, 1_200, `a number of months from ${minRetentionMonths} to 1200`)
  ),
  TAPELINE_EVENT_DAYS: Schema.optionalKey(integerVariable(1, 36_500, "a number of days from 1 to 36500")),
  TAPELINE_WEBHOOK_ALLOW_PRIVATE: parseableBy(parseNoProxy),
  TAPELINE_BACKUP_DAYS: Schema.optionalKey(integerVariable(0, 36_500, "a number of days from 0 to 36500")),
  TAPELINE_REPLAY_MS: Schema.optionalKey(millisecondsVariable(1000)),
  TAPELINE_REQUEST_WINDOW_MS: Schema.optionalKey(millisecondsVariable(100)),
  REDIS_URL: Schema.optionalKey(urlWithProtocol(["redis:", "rediss:"], "an address such as redis://host:6379")),
  ...liveVariables,
  ...openAiVariables,
  ...openIdVariables,
  ...proxyVariables,
  ...telemetryVariables
})

/** The names of the environment variables that the server reads, which `docs/configuration.md` describes. */
export const variables: ReadonlyArray<string> = [
  ...Object.keys(Environment.fields),
  ...secretVariables.map(fileVariable)
]

export interface Settings {
  readonly host: string
  readonly port: number
  /**
   * The address of the listener for the admin API and the metrics. If undefined, the public listener serves the admin
   * API and the metrics.
   */
  readonly adminListener: { readonly host: string; readonly port: number } | undefined
  readonly keepAliveMs: number
  /** The time after a stop signal for which the server is not ready, but still answers requests, in ms. */
  readonly drainMs: number
  readonly dataDir: string
  readonly publicUrl: string | undefined
  /** The number of reverse proxies in front of the server. */
  readonly trustedProxies: number
  readonly corsOrigins: ReadonlyArray<string>
  /** Whether the console is served at `/app`. */
  readonly hasConsole: boolean
  /** The folder of the documentation site at `/docs/guide`, or undefined if no site is served. */
  readonly documentationSite: string | undefined
  readonly databaseUrl: Redacted.Redacted<string> | undefined
  readonly databaseDirectUrl: Redacted.Redacted<string> | undefined
  readonly adminToken: Redacted.Redacted<string> | undefined
  /** Whether the admin token of the environment or file is accepted, in addition to named admin tokens. */
  readonly hasBootstrapToken: boolean
  readonly simSeed: number
  /** The settings of the live market, or undefined if the server uses the simulated market. */
  readonly live: LiveMarketSettings | undefined
  readonly plans: PlanTable
  readonly logLevel: "Debug" | "Info" | "Warn" | "Error"
  readonly toolTimeoutMs: number
  readonly reservationGraceMs: number
  readonly sweepEveryMs: number
  /** The number of threads for CPU-bound work; undefined for the default of the thread pool. */
  readonly computeThreads: number | undefined
  /** The maximum number of scripts that run at the same time; undefined for the default of the sandbox. */
  readonly sandboxes: number | undefined
  /** The number of months, including the current month, for which the database keeps credit reservations. */
  readonly keepMonths: number
  /** The number of days for which recorded events are kept. */
  readonly eventDays: number
  /** Selects the receivers of webhooks that may be in private networks and may use plain HTTP. */
  readonly isPrivateWebhookAllowed: HostPredicate
  readonly backupDays: number
  readonly replayMs: number
  readonly requestWindowMs: number
  /** The settings of the telemetry export, or undefined if no telemetry is exported. */
  readonly telemetry: TelemetrySettings | undefined
  readonly redisUrl: Redacted.Redacted<string> | undefined
  /** The provider of the language model and embeddings; undefined for the offline implementations. */
  readonly openAi: OpenAiSettings | undefined
  /** The OpenID provider and account provisioning settings, or undefined if users sign in only with links. */
  readonly openId: OpenIdSettings | undefined
  /** The proxies for outgoing requests, or undefined if all requests are sent directly. */
  readonly outgoingProxies: OutboundProxySettings | undefined
}

/** Some environment variables have invalid values. The message of the error contains no values. */
export class InvalidSettings extends Schema.TaggedError<InvalidSettings>()("InvalidSettings", {
  problems: Schema.Array(Schema.Struct({ variable: Schema.String, message: Schema.String }))
}) {
  override get message(): string {
    return ["The configuration is invalid:", ...this.problems.map((p) => `  ${p.variable}: ${p.message}`)].join("\n")
  }
}

const decodeEnvironment = Schema.decodeUnknownEffect(Environment, { errors: "all", onExcessProperty: "error" })
const formatIssue = SchemaIssue.makeFormatterStandardSchemaV1()

const toProblems = ({ issue }: Schema.SchemaError): InvalidSettings["problems"] =>
  formatIssue(issue).issues.map(({ message, path }) => {
    const segments = (path ?? []).map((segment) => String(typeof segment === "object" ? segment.key : segment))
    const [variable = "", plan, field] = segments
    const isUnknownField = variable === "TAPELINE_PLANS" && field !== undefined && !Object.hasOwn(Plan.fields, field)
    return {
      variable: segments.join("."),
      message: isUnknownField
        ? `the plan ${plan} has no such setting; ${suggestName(field, Object.keys(Plan.fields))}`
        : unknownKindMessage(segments) ?? message
    }
  })

/** Merges the configured plans into the default plans. A plan that is not a default plan must set all fields. */
const mergeWithDefaultPlans = (
  overrides: Readonly<Record<string, Partial<Plan>>>
): Effect.Effect<PlanTable, InvalidSettings> => {
  const table: Record<string, Plan> = { ...defaultPlans }
  const problems: Array<{ variable: string; message: string }> = []
  for (const [name, plan] of Object.entries(overrides)) {
    const merged = { ...defaultPlans[name], ...plan }
    const missing = Object.keys(Plan.fields).filter((field) => !Object.hasOwn(merged, field))
    if (missing.length > 0) {
      problems.push({ variable: "TAPELINE_PLANS", message: `the new plan ${name} lacks ${missing.join(", ")}` })
    } else {
      // The cast is correct, because `missing` is empty.
      table[name] = merged as Plan
    }
  }
  return problems.length > 0 ? Effect.fail(new InvalidSettings({ problems })) : Effect.succeed(table)
}

const makeSettings = Effect.fnUntraced(function*(
  env: typeof Environment.Type
): Effect.fn.Return<Settings, InvalidSettings> {
  if (env.TAPELINE_ADMIN_HOST !== undefined && env.TAPELINE_ADMIN_PORT === undefined) {
    const message = "requires TAPELINE_ADMIN_PORT; set it, or remove this"
    return yield* new InvalidSettings({ problems: [{ variable: "TAPELINE_ADMIN_HOST", message }] })
  }
  if (env.DATABASE_DIRECT_URL !== undefined && env.DATABASE_URL === undefined) {
    const message = "requires DATABASE_URL, the database for calls; set it, or remove this"
    return yield* new InvalidSettings({ problems: [{ variable: "DATABASE_DIRECT_URL", message }] })
  }
  const plans = yield* mergeWithDefaultPlans(env.TAPELINE_PLANS ?? {})
  const openAi = openAiSettingsOf(env)
  const openId = openIdSettingsOf(env, env.TAPELINE_PUBLIC_URL, plans)
  const problems = [...openAi.problems, ...openId.problems, ...findLiveProblems(env)]
  if (problems.length > 0) return yield* new InvalidSettings({ problems })
  const redact = (text: string | undefined) => text === undefined ? undefined : Redacted.make(text)
  return {
    host: env.HOST ?? "127.0.0.1",
    port: env.PORT ?? 8787,
    adminListener: env.TAPELINE_ADMIN_PORT === undefined
      ? undefined
      : { host: env.TAPELINE_ADMIN_HOST ?? "127.0.0.1", port: env.TAPELINE_ADMIN_PORT },
    keepAliveMs: env.TAPELINE_KEEP_ALIVE_MS ?? defaultNodeServerSettings.keepAliveTimeoutMs,
    drainMs: env.TAPELINE_DRAIN_MS ?? 0,
    dataDir: env.TAPELINE_DATA_DIR ?? "./data",
    publicUrl: env.TAPELINE_PUBLIC_URL?.replace(/\/+$/, ""),
    trustedProxies: env.TAPELINE_PROXIES ?? 0,
    corsOrigins: env.TAPELINE_CORS_ORIGINS ?? [],
    hasConsole: env.TAPELINE_CONSOLE !== "off",
    documentationSite: env.TAPELINE_DOCS_SITE,
    databaseUrl: redact(env.DATABASE_URL),
    databaseDirectUrl: redact(env.DATABASE_DIRECT_URL),
    adminToken: redact(env.TAPELINE_ADMIN_TOKEN),
    hasBootstrapToken: env.TAPELINE_ADMIN_BOOTSTRAP !== "off",
    simSeed: env.TAPELINE_SIM_SEED ?? defaultSeed,
    live: env.TAPELINE_MARKET === "live" ? liveSettingsOf(env) : undefined,
    plans,
    logLevel: env.TAPELINE_LOG_LEVEL ?? "Info",
    toolTimeoutMs: env.TAPELINE_TOOL_TIMEOUT_MS ?? 30_000,
    reservationGraceMs: env.TAPELINE_RESERVATION_GRACE_MS ?? 30_000,
    sweepEveryMs: env.TAPELINE_SWEEP_EVERY_MS ?? 5_000,
    computeThreads: env.TAPELINE_COMPUTE_THREADS,
    sandboxes: env.TAPELINE_SANDBOXES,
    keepMonths: env.TAPELINE_KEEP_MONTHS ?? 13,
    eventDays: env.TAPELINE_EVENT_DAYS ?? defaultEventRetentionDays,
    isPrivateWebhookAllowed: Result.getOrThrow(parseNoProxy(env.TAPELINE_WEBHOOK_ALLOW_PRIVATE ?? "")),
    backupDays: env.TAPELINE_BACKUP_DAYS ?? defaultBackupDays,
    replayMs: env.TAPELINE_REPLAY_MS ?? 86_400_000,
    requestWindowMs: env.TAPELINE_REQUEST_WINDOW_MS ?? 60_000,
    telemetry: telemetrySettingsOf(env),
    redisUrl: redact(env.REDIS_URL),
    openAi: openAi.settings,
    openId: openId.settings,
    outgoingProxies: proxySettingsOf(env)
  }
})

/**
 * Reads the settings from environment variables. Reports misspelt names and unusable secret files first, because they
 * can cause other problems.
 */
export const readSettings = Effect.fnUntraced(function*(
  environment: Readonly<Record<string, string | undefined>>
): Effect.fn.Return<Settings, InvalidSettings> {
  const definedEnvironment = definedVariables(environment)
  // Platforms set the variables of OpenTelemetry and of proxies for all processes, so the server checks only used
  // variables.
  const isUnused = (name: string) =>
    (name.startsWith("OTEL_") && definedEnvironment["OTEL_EXPORTER_OTLP_ENDPOINT"] === undefined) ||
    isUnusedProxyVariable(name, definedEnvironment)
  const knownVariables = Object.fromEntries(
    Object.entries(definedEnvironment).filter(([name, value]) =>
      variables.includes(name) && !isServiceLinkVariable(name, value) && !isUnused(name)
    )
  )
  const withSecrets = withSecretFiles(knownVariables)
  const problems = [...unknownVariables(definedEnvironment, variables), ...withSecrets.problems]
  const invalid = (otherProblems: InvalidSettings["problems"]) =>
    new InvalidSettings({ problems: [...problems, ...otherProblems.map(withSecrets.attributeToFile)] })
  const env = yield* Effect.mapError(decodeEnvironment(withSecrets.environment), (error) => invalid(toProblems(error)))
  if (problems.length > 0) return yield* invalid([])
  return yield* Effect.mapError(makeSettings(env), (error) => invalid(error.problems))
})
