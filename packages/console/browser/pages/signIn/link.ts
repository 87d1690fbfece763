/** The console path that sign-in links open. */
export const signInPath = "/sign-in"

/** Returns the secret of a sign-in link from a URL fragment; undefined if the fragment contains no valid secret. */
export const parseLinkSecret = (hash: string): string | undefined => /^#(tl_link_[0-9A-Za-z]+)$/.exec(hash)?.[1]

/**
 * Returns the path, query and fragment of a URL without the secret of a sign-in link, even if the secret is truncated.
 */
export const removeLinkSecret = ({ hash, pathname, search }: Pick<Location, "hash" | "pathname" | "search">): string =>
  pathname + search + (hash.startsWith("#tl_link_") ? "" : hash)

/** Removes the secret of a sign-in link from the current URL and the browser history. */
export const clearLinkFromAddress = (): void => {
  if (location.hash !== "") history.replaceState(null, "", removeLinkSecret(location))
}
