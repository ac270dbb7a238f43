"""Trades with the generated client: token, quote, execution, transaction. Prints what came of it as JSON."""
import json
import os
import uuid

import firmquote_client as fx

config = fx.Configuration(host=os.environ["FIRMQUOTE_BASE_URL"])
client = fx.ApiClient(config)

token = fx.AuthorizationApi(client).create_token(
    fx.TokenRequest(
        client_id=os.environ["FIRMQUOTE_CLIENT_ID"],
        client_secret=os.environ["FIRMQUOTE_CLIENT_SECRET"],
        audience=os.environ["FIRMQUOTE_AUDIENCE"],
        grant_type="client_credentials",
    )
)
config.access_token = token.access_token

# A key stands for one thing that is wanted: made anew for it, kept with it, and sent again with each attempt.
order_id = uuid.uuid4()

quotes = fx.QuotesApi(client)
order = fx.QuoteRequest(sell_currency="USD", buy_currency="EUR", fixed_side=fx.FixedSide.SELL, amount="1000.00")
quote = quotes.create_quote(order, idempotency_key=f"quote-{order_id}")

# A quote's status is checked before it is executed; If-Match executes the version that was looked at.
checked, _, headers = quotes.get_quote_with_http_info(quote.quote_id)
assert checked.status == "open", checked.status
expect = {"sellAmount": checked.sell_amount, "buyAmount": checked.buy_amount}
booked = quotes.execute_quote(
    checked.quote_id,
    if_match=headers["ETag"],
    idempotency_key=f"execute-{order_id}",
    execute_request=fx.ExecuteRequest(client_reference="from Python", expect=expect),
)
transaction = fx.TransactionsApi(client).get_transaction(booked.transaction_id)

try:
    quotes.execute_quote(quote.quote_id, idempotency_key=f"execute-again-{order_id}")
    refusal = None
except fx.ApiException as error:
    refusal = json.loads(error.body)["code"]

print(json.dumps({
    "quoteId": transaction.quote_id,
    "transactionId": transaction.transaction_id,
    "sellAmount": transaction.sell_amount,
    "buyAmount": transaction.buy_amount,
    "status": transaction.status,
    "clientReference": transaction.client_reference,
    "refusal": refusal,
}))
