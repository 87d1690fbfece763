/** Where links that sign in lead. */
export const signInPath = "/sign-in"

/** The text of a link that signs in, behind an address's `#`. */
export const linkIn = (hash: string): string | undefined => /^#(tl_link_[0-9A-Za-z]+)$/.exec(hash)?.[1]

/** An address without its link, where it has one, also a link that is cut or has something behind it. */
export const withoutLink = ({ hash, pathname, search }: Pick<Location, "hash" | "pathname" | "search">): string =>
  pathname + search + (hash.startsWith("#tl_link_") ? "" : hash)

/** Takes the link out of the address, so that it stands in no history. */
export const takeLink = (): void => {
  if (location.hash !== "") history.replaceState(null, "", withoutLink(location))
}
