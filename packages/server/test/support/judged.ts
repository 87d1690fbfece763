import { validateResponses } from "@tapeline/document/judging"
import { openApiDocument } from "./openApiDocument.ts"

validateResponses(openApiDocument)
