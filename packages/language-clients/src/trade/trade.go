// Trades with the generated client: token, quote, execution, transaction. Prints what came of it as JSON.
package main

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"firmquote"
	"fmt"
	"os"
)

func must(err error) {
	if err == nil {
		return
	}
	if refusal, ok := err.(firmquote.GenericOpenAPIError); ok {
		fmt.Fprintln(os.Stderr, string(refusal.Body()))
	}
	panic(err)
}

func text(value string) *string {
	return &value
}

// A key stands for one thing that is wanted: made anew for it, kept with it, and sent again with each attempt.
func newOrderId() string {
	id := make([]byte, 16)
	_, err := rand.Read(id)
	must(err)
	return hex.EncodeToString(id)
}

func main() {
	config := firmquote.NewConfiguration()
	config.Servers[0].URL = os.Getenv("FIRMQUOTE_BASE_URL")
	client := firmquote.NewAPIClient(config)
	ctx := context.Background()

	token, _, err := client.AuthorizationApi.CreateToken(ctx).TokenRequest(firmquote.TokenRequest{
		ClientId:     os.Getenv("FIRMQUOTE_CLIENT_ID"),
		ClientSecret: os.Getenv("FIRMQUOTE_CLIENT_SECRET"),
		Audience:     os.Getenv("FIRMQUOTE_AUDIENCE"),
		GrantType:    "client_credentials",
	}).Execute()
	must(err)
	ctx = context.WithValue(ctx, firmquote.ContextAccessToken, token.AccessToken)

	orderId := newOrderId()
	order := firmquote.QuoteRequest{
		SellCurrency: text("USD"),
		BuyCurrency:  text("EUR"),
		FixedSide:    firmquote.FIXEDSIDE_SELL.Ptr(),
		Amount:       text("1000.00"),
	}
	quote, _, err := client.QuotesApi.CreateQuote(ctx).QuoteRequest(order).IdempotencyKey("quote-" + orderId).Execute()
	must(err)

	// A quote's status is checked before it is executed; If-Match executes the version that was looked at.
	checked, answer, err := client.QuotesApi.GetQuote(ctx, quote.QuoteId).Execute()
	must(err)
	if checked.Status != "open" {
		panic(checked.Status)
	}
	request := firmquote.ExecuteRequest{
		ClientReference: text("from Go"),
		Expect: &firmquote.ExecuteRequestExpect{
			SellAmount: &checked.SellAmount,
			BuyAmount:  &checked.BuyAmount,
		},
	}
	booked, _, err := client.QuotesApi.ExecuteQuote(ctx, quote.QuoteId).
		IfMatch(answer.Header.Get("ETag")).IdempotencyKey("execute-" + orderId).ExecuteRequest(request).Execute()
	must(err)
	transaction, _, err := client.TransactionsApi.GetTransaction(ctx, booked.TransactionId).Execute()
	must(err)

	var refusal struct{ Code string }
	_, _, err = client.QuotesApi.ExecuteQuote(ctx, quote.QuoteId).IdempotencyKey("execute-again-" + orderId).Execute()
	must(json.Unmarshal(err.(firmquote.GenericOpenAPIError).Body(), &refusal))

	must(json.NewEncoder(os.Stdout).Encode(map[string]interface{}{
		"quoteId":         transaction.QuoteId,
		"transactionId":   transaction.TransactionId,
		"sellAmount":      transaction.SellAmount,
		"buyAmount":       transaction.BuyAmount,
		"status":          transaction.Status,
		"clientReference": transaction.ClientReference.Get(),
		"refusal":         refusal.Code,
	}))
}
