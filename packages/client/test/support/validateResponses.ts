import { makeApi, withOpenApiDocument } from "@tapeline/api"
import { validateResponses } from "@tapeline/document/validateResponses"
import { OpenApi } from "effect/http-api"
import { testSpecifications } from "./service.ts"

validateResponses(() => OpenApi.fromApi(withOpenApiDocument(makeApi(testSpecifications))))
