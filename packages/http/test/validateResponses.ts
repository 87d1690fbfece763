import { validateResponses } from "@tapeline/document/validateResponses"
import { documentOf } from "./testServer.ts"
import { testTools } from "./testTools.ts"

validateResponses(() => documentOf(testTools))
