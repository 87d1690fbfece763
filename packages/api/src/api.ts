import type { ToolSpecification } from "@tapeline/core/specifications"
import { HttpApi, OpenApi } from "effect/http-api"
import { adminGroup } from "./admin.ts"
import { metaGroup, publicGroup } from "./meta.ts"
import { toolsGroup } from "./tools.ts"

/** The whole HTTP interface of an engine with these tools; `publicUrl` is the base that its document names. */
export const makeApi = <const Specifications extends ReadonlyArray<ToolSpecification>>(
  specifications: Specifications,
  publicUrl = "/"
) =>
  HttpApi.make("tapeline")
    .add(metaGroup)
    .add(toolsGroup(specifications))
    .add(publicGroup)
    .add(adminGroup)
    .annotateMerge(OpenApi.annotations({
      title: "Tapeline",
      version: "1.0.0",
      license: { name: "MIT", identifier: "MIT" },
      servers: [{ url: publicUrl }],
      description:
        "Market data and analysis. Every operation has a price in credits; a month's credits are never overspent. Errors are RFC 9457 problem details."
    }))
