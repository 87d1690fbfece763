import { openIdCallback, openIdStart } from "@tapeline/api"
import { type NewAccountRules, type PlanTable } from "@tapeline/core"
import type { OpenIdOptions } from "@tapeline/openid"
import { Redacted, Schema } from "effect"

const isLoopback = (hostname: string): boolean =>
  /^(localhost|[a-z0-9.-]+\.localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(hostname)

const isHttpsOrLoopback = ({ hostname, protocol }: URL): boolean =>
  protocol === "https:" || (protocol === "http:" && isLoopback(hostname))

const issuerUrl = Schema.String.check(
  Schema.makeFilter(
    (text) => {
      if (!URL.canParse(text)) return false
      const url = new URL(text)
      return isHttpsOrLoopback(url) && [url.hash, url.password, url.search, url.username].every((part) => part === "")
    },
    {
      expected:
        "the provider's https address (http only on this machine), without a user, a password, a query or a fragment"
    }
  )
)

const printableText = (description: string) =>
  Schema.String.check(Schema.isPattern(/^[\x21-\x7e]{1,500}$/u, { expected: `${description}, without a space` }))

export const openIdVariables = {
  TAPELINE_OPENID_ISSUER: Schema.optionalKey(issuerUrl),
  TAPELINE_OPENID_CLIENT_ID: Schema.optionalKey(printableText("the client's id")),
  TAPELINE_OPENID_CLIENT_SECRET: Schema.optionalKey(printableText("the client's secret")),
  TAPELINE_OPENID_LABEL: Schema.optionalKey(
    Schema.String.check(
      Schema.isPattern(/^[^\p{C}]{1,40}$/u, { expected: "the provider's display name, at most 40 characters" })
    )
  ),
  TAPELINE_OPENID_SCOPES: Schema.optionalKey(
    Schema.String.check(
      Schema.makeFilter((text) => /^[\x21-\x7e]+( [\x21-\x7e]+)*$/.test(text) && text.split(" ").includes("openid"), {
        expected: "scopes separated by spaces, including openid"
      })
    )
  ),
  TAPELINE_OPENID_PLAN: Schema.optionalKey(Schema.NonEmptyString),
  TAPELINE_OPENID_CLAIM: Schema.optionalKey(printableText("a claim's name")),
  TAPELINE_OPENID_CLAIM_PLANS: Schema.optionalKey(
    Schema.fromJsonString(Schema.Record(Schema.String, Schema.String)).annotate({
      expected: "values of the claim with a plan for each, such as {\"desk\": \"pro\"}"
    })
  )
} as const

type OpenIdEnvironment = Schema.Struct<typeof openIdVariables>["Type"]

/** OpenID provider and account provisioning settings. */
export interface OpenIdSettings {
  readonly provider: OpenIdOptions
  readonly admission: NewAccountRules
  readonly redirectUri: string
  readonly beginsAt: string
}

interface Problem {
  readonly variable: string
  readonly message: string
}

const openIdNames = Object.keys(openIdVariables)

const planProblems = (environment: OpenIdEnvironment, plans: PlanTable): ReadonlyArray<Problem> => {
  const isPlan = (name: string) => Object.hasOwn(plans, name)
  const message = `is not a plan; the plans are ${Object.keys(plans).join(", ")}`
  const { TAPELINE_OPENID_CLAIM_PLANS: byClaim = {}, TAPELINE_OPENID_PLAN: plan } = environment
  return [
    ...(plan === undefined || isPlan(plan) ? [] : [{ variable: "TAPELINE_OPENID_PLAN", message }]),
    ...Object.entries(byClaim).filter(([, name]) => !isPlan(name))
      .map(([value]) => ({ variable: `TAPELINE_OPENID_CLAIM_PLANS.${value}`, message }))
  ]
}

/** Returns the problems of environment variables that are valid on their own but not together. */
const findProblems = (
  environment: OpenIdEnvironment,
  publicUrl: string | undefined,
  plans: PlanTable
): ReadonlyArray<Problem> => {
  const isSet = (name: string) => Object.hasOwn(environment, name)
  const problems: Array<Problem> = []
  const addProblem = (variable: string, message: string) => problems.push({ variable, message })
  if (!isSet("TAPELINE_OPENID_ISSUER")) {
    for (const name of openIdNames.filter(isSet)) {
      addProblem(name, "requires TAPELINE_OPENID_ISSUER; set it, or remove this")
    }
    return problems
  }
  if (!isSet("TAPELINE_OPENID_CLIENT_ID")) {
    addProblem("TAPELINE_OPENID_CLIENT_ID", "must be the client id that the provider has for this service")
  }
  if (publicUrl === undefined || !isHttpsOrLoopback(new URL(publicUrl))) {
    addProblem(
      "TAPELINE_PUBLIC_URL",
      "must be the https address (http only on this machine) to which TAPELINE_OPENID_ISSUER redirects users"
    )
  }
  if (isSet("TAPELINE_OPENID_CLAIM") !== isSet("TAPELINE_OPENID_CLAIM_PLANS")) {
    const [missing, other] = isSet("TAPELINE_OPENID_CLAIM")
      ? ["TAPELINE_OPENID_CLAIM_PLANS", "TAPELINE_OPENID_CLAIM"]
      : ["TAPELINE_OPENID_CLAIM", "TAPELINE_OPENID_CLAIM_PLANS"]
    addProblem(missing, `is required together with ${other}`)
  }
  if (!isSet("TAPELINE_OPENID_PLAN") && !isSet("TAPELINE_OPENID_CLAIM")) {
    addProblem(
      "TAPELINE_OPENID_PLAN",
      "must name the plan of accounts that are created at the first sign-in, unless TAPELINE_OPENID_CLAIM is set"
    )
  }
  return [...problems, ...planProblems(environment, plans)]
}

/** Returns the OpenID settings, or undefined if no variable is set, and the problems of the environment variables. */
export const openIdSettingsOf = (
  environment: OpenIdEnvironment,
  publicUrl: string | undefined,
  plans: PlanTable
): { readonly settings: OpenIdSettings | undefined; readonly problems: ReadonlyArray<Problem> } => {
  const problems = findProblems(environment, publicUrl, plans)
  const { TAPELINE_OPENID_CLIENT_ID: clientId, TAPELINE_OPENID_ISSUER: issuer } = environment
  if (problems.length > 0 || issuer === undefined || clientId === undefined) return { settings: undefined, problems }
  const { TAPELINE_OPENID_CLAIM: claim, TAPELINE_OPENID_CLAIM_PLANS: byClaim, TAPELINE_OPENID_CLIENT_SECRET: secret } =
    environment
  const baseUrl = publicUrl?.replace(/\/+$/, "") ?? ""
  return {
    problems,
    settings: {
      provider: {
        issuer,
        clientId,
        clientSecret: secret === undefined ? undefined : Redacted.make(secret),
        label: environment.TAPELINE_OPENID_LABEL ?? new URL(issuer).hostname,
        scopes: environment.TAPELINE_OPENID_SCOPES,
        claim
      },
      admission: {
        plan: environment.TAPELINE_OPENID_PLAN,
        planClaim: claim === undefined || byClaim === undefined ? undefined : { claim, plans: byClaim }
      },
      redirectUri: `${baseUrl}${openIdCallback}`,
      beginsAt: `${baseUrl}${openIdStart}`
    }
  }
}
