import { configurationPage, isPublished } from "./configurationPage.ts"

/**
 * Prints how to start the server, if it gets an argument or a request for help. The server takes no arguments and would
 * otherwise ignore them.
 */
const [argument] = process.argv.slice(2)
if (argument !== undefined) {
  const isHelpRequest = ["--help", "-h", "help"].includes(argument)
  const text = `${isHelpRequest ? "" : "The server takes no arguments.\n\n"}\
Starts the Tapeline server, until SIGTERM or SIGINT ends it. Everything is set by environment variables:

  HOST, PORT            where it listens (127.0.0.1, 8787)
  TAPELINE_DATA_DIR     the embedded database and the administration's token (./data)
  DATABASE_URL          a PostgreSQL server in place of the embedded database
  TAPELINE_PUBLIC_URL   where callers reach it, behind a proxy
  OPENAI_API_KEY, OPENAI_BASE_URL, OPENAI_MODEL   the analyst's language model; without them it is the offline one

All variables: ${configurationPage}
Accounts and keys: ${isPublished ? "npx tapeline --help" : "npm run tapeline -- --help"}
`
  ;(isHelpRequest ? process.stdout : process.stderr).write(text)
  process.exit(isHelpRequest ? 0 : 1)
}
