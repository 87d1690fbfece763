import { judgeResponses } from "@tapeline/document/judging"
import { document } from "./document.ts"

judgeResponses(document)
