import { validateResponses } from "@tapeline/document/judging"
import { documentOf } from "./testServer.ts"
import { testTools } from "./testTools.ts"

validateResponses(() => documentOf(testTools))
