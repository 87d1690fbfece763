import { navigate } from "../router/location.ts"
import { takeReturnPath } from "../router/returnPath.ts"
import { toPath } from "../router/route.ts"
import { homePath } from "./homePath.ts"

/**
 * Opens the page from which the user was sent to sign in, or else the home page. Does nothing unless the path `from` is
 * open.
 */
export const openHomePage = (from: string) => {
  if (toPath(location.pathname) === from) navigate(takeReturnPath() ?? homePath, { replace: true })
}
