/** The minimum number of posts for an estimate of whether they are organic. */
export const leastPosts = 50
