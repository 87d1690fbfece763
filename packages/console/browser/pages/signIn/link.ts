/** The path that sign-in links lead to. */
export const signInPath = "/sign-in"

/** The secret of a sign-in link in an address's fragment. */
export const parseLinkSecret = (hash: string): string | undefined => /^#(tl_link_[0-9A-Za-z]+)$/.exec(hash)?.[1]

/** The address without the secret of a link, also if the secret is truncated or followed by other text. */
export const removeLinkSecret = ({ hash, pathname, search }: Pick<Location, "hash" | "pathname" | "search">): string =>
  pathname + search + (hash.startsWith("#tl_link_") ? "" : hash)

/** Removes the secret from the address, so that it is not in the browser's history. */
export const clearLinkFromAddress = (): void => {
  if (location.hash !== "") history.replaceState(null, "", removeLinkSecret(location))
}
