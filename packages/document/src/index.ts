export { startRecording, takeRecorded } from "./fetchRecorder.ts"
export { type Json, OpenApiDocument } from "./OpenApiDocument.ts"
export { parseResponses } from "./rawResponses.ts"
export { type RecordedResponse, validateResponse } from "./responseValidation.ts"
