// Package quota counts the monthly quotas of accounts, and their uses by day.
//
// Units are reserved in the store durably, a lease at a time, and spent from memory. A crash loses
// units and never serves one twice. If the store is unavailable, no unit is served that was not
// reserved. An account with its plan, its limit and a month comes in; a unit, or that none is left,
// goes out. Uses are for people to look at: they are collected in memory and written together.
//
// It does not know plans beyond a name and a limit, and does not word refusals of requests.
package quota
