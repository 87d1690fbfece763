import type { ToolSpecification } from "@tapeline/core/specifications"
import { HttpApi, OpenApi } from "effect/http-api"
import { accountGroup, accountKeysGroup, sessionsGroup } from "./account.ts"
import { accountDataGroup, adminAccountDataGroup } from "./accountData.ts"
import { adminGroup, adminKeysGroup } from "./admin.ts"
import { adminCreditsGroup } from "./adminCredits.ts"
import { adminTokensGroup } from "./adminTokens.ts"
import { adminWorkGroup } from "./adminWork.ts"
import { agentGroup, conversationsGroup, servedAgentGroup } from "./agent.ts"
import { backupsGroup } from "./backups.ts"
import { chartsGroup } from "./charts.ts"
import { linksGroup } from "./links.ts"
import { metaGroup, publicGroup } from "./meta.ts"
import { notificationsGroup } from "./notifications.ts"
import { openIdGroup } from "./openId.ts"
import { servedToolsGroup, toolsGroup } from "./tools.ts"
import { usageReportGroup } from "./usageReport.ts"
import { webhooksGroup } from "./webhooks.ts"

const documentInfo = (publicUrl: string) =>
  OpenApi.annotations({
    title: "Tapeline",
    version: "1.0.0",
    license: { name: "MIT", identifier: "MIT" },
    servers: [{ url: publicUrl, description: "This service" }],
    description:
      "Market data and analysis. Every operation has a price in credits (`x-credits`), and most operations require a scope " +
      "(`x-scope`). An account can never spend more than its monthly credits. Requests send an account's key as " +
      "`Authorization: Bearer tl_live_...`; if the service has sign-in, a browser session works too. Errors are RFC 9457 " +
      "problem details with a `code`. An unknown address returns 404 with the code `not_found`, and an unsupported " +
      "method returns 405 with `allow`. `/mcp` is a server of the Model Context Protocol."
  })

/**
 * Returns the caller API of an engine that has no analyst. The OpenAPI document contains `publicUrl` as the server URL.
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
    .annotateMerge(documentInfo(publicUrl))

/** Returns the caller API of an engine that has the given tools and an analyst. */
export const makeCallerApi = <const Specifications extends ReadonlyArray<ToolSpecification>>(
  specifications: Specifications,
  publicUrl = "/"
) => makeToolsApi(specifications, publicUrl).add(agentGroup).add(conversationsGroup)

/** Returns the complete HTTP API of an engine, including the endpoints for signed-in users and the operator. */
export const makeApi = <const Specifications extends ReadonlyArray<ToolSpecification>>(
  specifications: Specifications,
  publicUrl = "/"
) =>
  makeCallerApi(specifications, publicUrl).add(accountGroup).add(accountKeysGroup).add(sessionsGroup).add(openIdGroup)
    .add(adminGroup).add(adminKeysGroup).add(adminWorkGroup).add(adminTokensGroup).add(usageReportGroup).add(linksGroup)
    .add(adminCreditsGroup).add(webhooksGroup).add(accountDataGroup).add(adminAccountDataGroup)
    .add(backupsGroup)

/** Selects which optional parts of the API the OpenAPI document describes. */
export interface ApiParts {
  readonly analyst: boolean
  readonly administration: boolean
  readonly sessions: boolean
  /** Whether accounts can be exported and erased. */
  readonly accountData: boolean
  /** Whether the database has online backups. */
  readonly backups: boolean
  readonly openId: boolean
  readonly webhooks: boolean
}

const adminGroups = (
  { accountData, backups, sessions, webhooks }: Omit<ApiParts, "administration" | "analyst" | "openId">
) =>
  [
    adminGroup,
    adminKeysGroup,
    adminWorkGroup,
    adminTokensGroup,
    usageReportGroup,
    adminCreditsGroup,
    ...(webhooks ? [webhooksGroup] : []),
    ...(sessions ? [linksGroup] : []),
    ...(accountData ? [adminAccountDataGroup] : []),
    ...(backups ? [backupsGroup] : [])
  ] as const

/** Returns the admin API that the OpenAPI document of a separate admin server describes. */
export const makeAdminApiWithParts = (parts: Parameters<typeof adminGroups>[0]) =>
  HttpApi.make("tapeline").add(...adminGroups(parts)).annotateMerge(OpenApi.annotations({
    title: "Tapeline administration",
    version: "1.0.0",
    license: { name: "MIT", identifier: "MIT" },
    servers: [{ url: "/", description: "This admin server" }],
    description:
      "The admin API. Every operation requires an admin token with the scope in `x-admin-scope`. Errors are " +
      "RFC 9457 problem details with a `code`."
  }))

/** Returns the API that the OpenAPI document describes, with the selected optional parts. */
export const makeApiWithParts = <const Specifications extends ReadonlyArray<ToolSpecification>>(
  specifications: Specifications,
  { accountData, administration, analyst, backups, openId, sessions, webhooks }: ApiParts,
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
      ...(administration ? adminGroups({ accountData, backups, sessions, webhooks }) : []),
      ...(sessions && accountData ? [accountDataGroup] : [])
    )
    .annotateMerge(documentInfo(publicUrl))

/** The caller API that every server implements, without tools and analyst. */
export const servedApi = HttpApi.make("tapeline").add(metaGroup).add(chartsGroup).add(notificationsGroup).add(
  publicGroup
)

/** The tool API that a server implements, with one path for all tools. */
export const servedToolsApi = HttpApi.make("tapeline").add(servedToolsGroup)

/** The analyst API, which a server adds to `servedApi` if the engine has an analyst. */
export const servedAgentApi = HttpApi.make("tapeline").add(servedAgentGroup).add(conversationsGroup)

/** The API for signed-in users, which a server adds to `servedApi` if the engine has sessions. */
export const servedAccountApi = HttpApi.make("tapeline").add(accountGroup).add(accountKeysGroup).add(sessionsGroup)

/** The API for OpenID sign-in, which a server adds to `servedAccountApi` if the engine has a `ProviderSignIn`. */
export const servedOpenIdApi = HttpApi.make("tapeline").add(openIdGroup)

/** The admin API, which a server offers on the port of the caller API or on a separate port. */
export const servedAdministrationApi = HttpApi.make("tapeline").add(
  adminGroup,
  adminKeysGroup,
  adminWorkGroup,
  adminTokensGroup,
  usageReportGroup,
  adminCreditsGroup
)

/** The admin API for webhooks, which a server adds to `servedAdministrationApi` if the engine has `Webhooks`. */
export const servedWebhooksApi = HttpApi.make("tapeline").add(webhooksGroup)

/** The admin API for sign-in links, which a server adds to `servedAdministrationApi` if the engine has sessions. */
export const servedLinksApi = HttpApi.make("tapeline").add(linksGroup)

/** The admin API for exports and erasures, which a server adds if the engine has `AccountData`. */
export const servedAdminAccountDataApi = HttpApi.make("tapeline").add(adminAccountDataGroup)

/** The API with which signed-in users export their data, which a server adds if the engine has `AccountData`. */
export const servedAccountDataApi = HttpApi.make("tapeline").add(accountDataGroup)

/** The admin API for backups, which a server adds if the database has `DatabaseBackups`. */
export const servedBackupsApi = HttpApi.make("tapeline").add(backupsGroup)
