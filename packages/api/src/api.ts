import type { ToolSpecification } from "@tapeline/core/specifications"
import { HttpApi, OpenApi } from "effect/http-api"
import { accountGroup, accountKeysGroup, sessionsGroup } from "./account.ts"
import { adminGroup } from "./admin.ts"
import { agentGroup, conversationsGroup, servedAgentGroup } from "./agent.ts"
import { chartsGroup } from "./charts.ts"
import { linksGroup } from "./links.ts"
import { metaGroup, publicGroup } from "./meta.ts"
import { notificationsGroup } from "./notifications.ts"
import { openIdGroup } from "./openId.ts"
import { servedToolsGroup, toolsGroup } from "./tools.ts"

const about = (publicUrl: string) =>
  OpenApi.annotations({
    title: "Tapeline",
    version: "1.0.0",
    license: { name: "MIT", identifier: "MIT" },
    servers: [{ url: publicUrl, description: "The service that this document is of" }],
    description:
      "Market data and analysis. Every operation has a price in credits (`x-credits`) and mostly a scope that opens it " +
      "(`x-scope`); a month's credits are never overspent. Requests carry an account's key, " +
      "`Authorization: Bearer tl_live_...`; where people sign in, a browser's session stands for one. Errors are RFC 9457 problem details, told apart by `code`. An address that " +
      "is not listed here is a 404 `not_found`, and another method of one that is a 405 with `allow`. " +
      "`/mcp` speaks the Model Context Protocol, which describes itself."
  })

/**
 * What callers use of an engine with these tools that has no analyst; `publicUrl` is the base that its document names.
 */
export const makeToolsApi = <const Specifications extends ReadonlyArray<ToolSpecification>>(
  specifications: Specifications,
  publicUrl = "/"
) =>
  HttpApi.make("tapeline")
    .add(metaGroup)
    .add(toolsGroup(specifications))
    .add(chartsGroup)
    .add(notificationsGroup)
    .add(publicGroup)
    .annotateMerge(about(publicUrl))

/** What callers use, of an engine with these tools and an analyst. */
export const makeCallerApi = <const Specifications extends ReadonlyArray<ToolSpecification>>(
  specifications: Specifications,
  publicUrl = "/"
) => makeToolsApi(specifications, publicUrl).add(agentGroup).add(conversationsGroup)

/** The whole HTTP interface of an engine with these tools, with the parts of who is signed in and of its operator. */
export const makeApi = <const Specifications extends ReadonlyArray<ToolSpecification>>(
  specifications: Specifications,
  publicUrl = "/"
) =>
  makeCallerApi(specifications, publicUrl).add(accountGroup).add(accountKeysGroup).add(sessionsGroup).add(openIdGroup)
    .add(adminGroup).add(linksGroup)

/** What an engine has that not every one has. */
export interface Parts {
  readonly analyst: boolean
  readonly administration: boolean
  /** People who sign in. */
  readonly sessions: boolean
  /** A provider that says who they are. */
  readonly openId: boolean
}

/** The interface of an engine that has these parts, for its document. */
export const makeApiOf = <const Specifications extends ReadonlyArray<ToolSpecification>>(
  specifications: Specifications,
  { administration, analyst, openId, sessions }: Parts,
  publicUrl = "/"
) =>
  HttpApi.make("tapeline")
    .add(
      metaGroup,
      toolsGroup(specifications),
      chartsGroup,
      notificationsGroup,
      publicGroup,
      ...(analyst ? [agentGroup, conversationsGroup] : []),
      ...(sessions ? [accountGroup, accountKeysGroup, sessionsGroup] : []),
      ...(openId ? [openIdGroup] : []),
      ...(administration ? [adminGroup] : []),
      ...(administration && sessions ? [linksGroup] : [])
    )
    .annotateMerge(about(publicUrl))

/**
 * What a server answers to callers, the tools aside. With `servedToolsApi` it is the same interface as
 * `makeCallerApi`'s.
 */
export const servedApi = HttpApi.make("tapeline").add(metaGroup).add(chartsGroup).add(notificationsGroup).add(
  publicGroup
)

/**
 * The tools as a server answers them: one path for every tool in place of a path per tool, since which tools there are
 * is the toolbox's to say, call by call.
 */
export const servedToolsApi = HttpApi.make("tapeline").add(servedToolsGroup)

/** The analyst as a server answers it: with `servedApi` where there is one. */
export const servedAgentApi = HttpApi.make("tapeline").add(servedAgentGroup).add(conversationsGroup)

/** What a server answers to people who sign in: with `servedApi` where the engine knows sessions. */
export const servedAccountApi = HttpApi.make("tapeline").add(accountGroup).add(accountKeysGroup).add(sessionsGroup)

/** The same where a provider says who people are: with `servedAccountApi` where the engine has a `ProviderSignIn`. */
export const servedOpenIdApi = HttpApi.make("tapeline").add(openIdGroup)

/** What a server answers to its operator, at the callers' address or at one of its own. */
export const servedAdministrationApi = HttpApi.make("tapeline").add(adminGroup)

/** The same of people who sign in: with `servedAdministrationApi` where the engine knows sessions. */
export const servedLinksApi = HttpApi.make("tapeline").add(linksGroup)
