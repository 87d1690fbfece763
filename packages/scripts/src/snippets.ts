// Writes the TypeScript programs of the documents to a separate project, for `npm run check:types`.
import { writeSnippetProject } from "./snippets/snippetProject.ts"

writeSnippetProject()
