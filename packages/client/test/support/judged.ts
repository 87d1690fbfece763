import { documented, makeApi } from "@tapeline/api"
import { judgeResponses } from "@tapeline/document/judging"
import { OpenApi } from "effect/http-api"
import { ownTools } from "./service.ts"

judgeResponses(() => OpenApi.fromApi(documented(makeApi(ownTools))))
