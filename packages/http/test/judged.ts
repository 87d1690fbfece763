import { judgeResponses } from "@tapeline/document/judging"
import { documentOf } from "./server.ts"
import { testTools } from "./tools.ts"

judgeResponses(() => documentOf(testTools))
